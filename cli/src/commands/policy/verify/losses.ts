import { type PolicyAnswer } from '@tenure/policy';

type Predicate = PolicyAnswer['filter']['predicates'][number];

const RANK = { none: 0, any_of: 1, all: 2 } as const;

const twinOf = ({ filter }: PolicyAnswer, { field, value }: Predicate): Predicate | undefined =>
  filter.predicates.find((each) => each.field === field && each.value === value);

const lostRows = (before: PolicyAnswer, after: PolicyAnswer): string | undefined => {
  if (RANK[before.filter.mode] > RANK[after.filter.mode])
    return `the filter is ${after.filter.mode} where it was ${before.filter.mode}`;
  if (after.filter.mode !== 'any_of') return undefined;
  const lost = before.filter.predicates.find((each) => twinOf(after, each) === undefined);
  return lost && `rows with ${lost.field} ${lost.value} are lost`;
};

const newIn = (after: readonly string[], before: readonly string[]): string | undefined =>
  after.find((name) => !before.includes(name));

const hidden = (name: string | undefined): string | undefined =>
  name && `${name} is masked, where it was shown`;

/** Masks of a list, row by row: those of a list without rows hide nothing. */
const hiddenInRows = (before: PolicyAnswer, after: PolicyAnswer): string | undefined => {
  if (before.filter.mode === 'none') return undefined;
  if (before.filter.mode === 'all') return hidden(newIn(after.fields.masked, before.fields.masked));
  for (const each of before.filter.predicates) {
    const now = [...after.fields.masked, ...(twinOf(after, each)?.masked ?? [])];
    const name = newIn(now, [...before.fields.masked, ...(each.masked ?? [])]);
    if (name !== undefined) return hidden(name);
  }
  return undefined;
};

const closed = (before: PolicyAnswer, after: PolicyAnswer): string | undefined => {
  const name = newIn(after.fields.read_only, before.fields.read_only);
  return name && `${name} is read-only, where it was not`;
};

/**
 * What the second answer takes away that the first gave: sight, permission, rows or fields.
 * @param isList whether the masks are those of rows
 * @returns in words, or undefined when nothing is lost
 */
export const lossOf = (
  before: PolicyAnswer,
  after: PolicyAnswer,
  isList: boolean,
): string | undefined => {
  if (before.visible && !after.visible) return 'it is not visible, where it was';
  if (before.allow && !after.allow) return 'it is refused, where it was allowed';
  // Masks and filters of a refusal mean nothing.
  if (!before.allow) return undefined;
  const masks = isList
    ? hiddenInRows(before, after)
    : hidden(newIn(after.fields.masked, before.fields.masked));
  return lostRows(before, after) ?? masks ?? closed(before, after);
};
