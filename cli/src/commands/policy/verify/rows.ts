import { type PolicyAnswer } from '@tenure/policy';
import { type Thing } from './things.js';
import { type Scope } from './vocabulary.js';

type Predicates = PolicyAnswer['filter']['predicates'];

/** Whether a list with this answer has the thing among its rows. */
export const isListed = (list: PolicyAnswer, thing: Thing, scope: Scope): boolean =>
  list.allow &&
  (list.filter.mode === 'all' ||
    (list.filter.mode === 'any_of' && matched(list, thing, scope).length > 0));

/** What is masked in that row: what the list masks everywhere, and what every predicate that the row matches masks. */
export function maskedInRow(list: PolicyAnswer, thing: Thing, scope: Scope): readonly string[] {
  const [first, ...others] = list.filter.mode === 'any_of' ? matched(list, thing, scope) : [];
  const common = (first?.masked ?? []).filter((name) =>
    others.every(({ masked }) => masked?.includes(name) === true),
  );
  return [...list.fields.masked, ...common];
}

function matched({ filter }: PolicyAnswer, thing: Thing, { project }: Scope): Predicates {
  const isBoth = thing.relation === 'both';
  const columns = new Map([
    ['owner', thing.relation === 'owner' || isBoth],
    ['lessee', thing.relation === 'lessee' || isBoth],
  ]);
  return filter.predicates.filter(({ field, value }) =>
    field === 'public'
      ? value === String(thing.public)
      : columns.get(field) === true && value === project,
  );
}
