import { type PolicyAnswer } from '@tenure/policy';

type Predicate = PolicyAnswer['filter']['predicates'][number];

const RANK = { none: 0, any_of: 1, all: 2 } as const;

/** Something that one answer gives and another does not; `of` names the field, or describes the rows. */
export interface Shortfall {
  readonly kind: 'sight' | 'permission' | 'rows' | 'readable' | 'writable' | 'condition';
  readonly of: string;
}

const LOSS_TEXTS: Readonly<Record<Shortfall['kind'], (of: string) => string>> = {
  sight: () => 'it is not visible, where it was',
  permission: () => 'it is refused, where it was allowed',
  rows: (of) => of,
  readable: (of) => `${of} is masked, where it was visible`,
  writable: (of) => `${of} is read-only, where it was not`,
  condition: (of) => `a condition on ${of} is added`,
};

/**
 * The first loss from one answer to the next: visibility, permission, rows or fields.
 * @param isList whether the masks are those of rows
 * @returns undefined when nothing is lost
 */
export function shortfallOf(
  before: PolicyAnswer,
  after: PolicyAnswer,
  isList: boolean,
): Shortfall | undefined {
  if (before.visible && !after.visible) return { kind: 'sight', of: '' };
  if (before.allow && !after.allow) return { kind: 'permission', of: '' };
  // Masks and filters of a refusal have no effect.
  if (!before.allow) return undefined;
  const masks = isList
    ? hiddenInRows(before, after)
    : hidden(newIn(after.fields.masked, before.fields.masked));
  return lostRows(before, after) ?? masks ?? closed(before, after) ?? bound(before, after);
}

/**
 * The same as a text.
 * @returns undefined when nothing is lost
 */
export function lossOf(...answers: Parameters<typeof shortfallOf>): string | undefined {
  const loss = shortfallOf(...answers);
  return loss && LOSS_TEXTS[loss.kind](loss.of);
}

/** Masks of a list, row by row: those of a list without rows hide nothing. */
function hiddenInRows(before: PolicyAnswer, after: PolicyAnswer): Shortfall | undefined {
  if (before.filter.mode === 'none') return undefined;
  if (before.filter.mode === 'all') return hidden(newIn(after.fields.masked, before.fields.masked));
  for (const each of before.filter.predicates) {
    const now = [...after.fields.masked, ...(twinOf(after, each)?.masked ?? [])];
    const name = newIn(now, [...before.fields.masked, ...(each.masked ?? [])]);
    if (name !== undefined) return hidden(name);
  }
  return undefined;
}

const hidden = (name: string | undefined): Shortfall | undefined =>
  name === undefined ? undefined : { kind: 'readable', of: name };

const newIn = (after: readonly string[], before: readonly string[]): string | undefined =>
  after.find((name) => !before.includes(name));

function lostRows(before: PolicyAnswer, after: PolicyAnswer): Shortfall | undefined {
  if (RANK[before.filter.mode] > RANK[after.filter.mode])
    return {
      kind: 'rows',
      of: `the filter is ${after.filter.mode} where it was ${before.filter.mode}`,
    };
  if (after.filter.mode !== 'any_of') return undefined;
  const lost = before.filter.predicates.find((each) => twinOf(after, each) === undefined);
  return lost && { kind: 'rows', of: `rows with ${lost.field} ${lost.value} are lost` };
}

function closed(before: PolicyAnswer, after: PolicyAnswer): Shortfall | undefined {
  const name = newIn(after.fields.read_only, before.fields.read_only);
  return name === undefined ? undefined : { kind: 'writable', of: name };
}

function bound(before: PolicyAnswer, after: PolicyAnswer): Shortfall | undefined {
  const free = (before.conditions ?? []).map(({ field }) => field);
  const added = after.conditions?.find(({ field }) => !free.includes(field));
  return added && { kind: 'condition', of: added.field };
}

const twinOf = ({ filter }: PolicyAnswer, { field, value }: Predicate): Predicate | undefined =>
  filter.predicates.find((each) => each.field === field && each.value === value);
