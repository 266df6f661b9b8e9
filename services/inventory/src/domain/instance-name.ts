import { type NodeRecord } from '@tenure/contracts';

type Members = Readonly<Record<string, unknown>>;

const membersOf = ({ instance_info: info }: NodeRecord): Members =>
  typeof info === 'object' && info !== null ? (info as Members) : {}; // the catalogue says it is an object

const shownName = (node: NodeRecord): string | null => {
  const { display_name: name } = membersOf(node);
  return typeof name === 'string' && name.length <= 255 ? name : null;
};

/**
 * The instance's name has two places: `instance_name`, and `instance_info.display_name` for clients that know no other.
 * The one that changed is copied to the other; `instance_name` when both did.
 */
export const withInstanceName = (before: NodeRecord, after: NodeRecord): NodeRecord => {
  const name = after['instance_name'];
  if (name !== before['instance_name']) {
    const others = Object.entries(membersOf(after)).filter(([member]) => member !== 'display_name');
    return {
      ...after,
      instance_info: Object.fromEntries(
        name === null ? others : [...others, ['display_name', name]],
      ),
    };
  }
  return shownName(before) === shownName(after)
    ? after
    : { ...after, instance_name: shownName(after) };
};
