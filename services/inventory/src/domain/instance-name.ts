import { type NodeRecord } from '@tenure/contracts';

/**
 * The instance's name is in two fields: `instance_name`, and `instance_info.display_name` for older clients. The
 * changed one is copied to the other; `instance_name` when both were changed.
 */
export function withInstanceName(before: NodeRecord, after: NodeRecord): NodeRecord {
  const name = after.instance_name;
  if (name !== before.instance_name) {
    const others = Object.entries(after.instance_info).filter(
      ([member]) => member !== 'display_name',
    );
    return {
      ...after,
      instance_info: Object.fromEntries(
        name === null ? others : [...others, ['display_name', name]],
      ),
    };
  }
  return displayNameOf(before) === displayNameOf(after)
    ? after
    : { ...after, instance_name: displayNameOf(after) };
}

function displayNameOf({ instance_info: info }: NodeRecord): string | null {
  const { display_name: name } = info;
  return typeof name === 'string' && name.length <= 255 ? name : null;
}
