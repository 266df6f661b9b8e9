import { type PolicyAnswer } from '@tenure/policy';
import { type Target } from './targets.js';
import { type Scope } from './vocabulary.js';

type Predicates = PolicyAnswer['filter']['predicates'];

/** Whether a list with this answer has the target among its rows. */
export const isListed = (list: PolicyAnswer, target: Target, scope: Scope): boolean =>
  list.allow &&
  (list.filter.mode === 'all' ||
    (list.filter.mode === 'any_of' && matched(list, target, scope).length > 0));

/** Masked fields of that row: those of the whole list, and those that every matching predicate masks. */
export function maskedInRow(list: PolicyAnswer, target: Target, scope: Scope): readonly string[] {
  const [first, ...others] = list.filter.mode === 'any_of' ? matched(list, target, scope) : [];
  const common = (first?.masked ?? []).filter((name) =>
    others.every(({ masked }) => masked?.includes(name) === true),
  );
  return [...list.fields.masked, ...common];
}

function matched({ filter }: PolicyAnswer, target: Target, { project }: Scope): Predicates {
  const isBoth = target.relation === 'both';
  const columns = new Map([
    ['owner', target.relation === 'owner' || isBoth],
    ['lessee', target.relation === 'lessee' || isBoth],
  ]);
  return filter.predicates.filter(({ field, value }) =>
    field === 'public'
      ? value === String(target.public)
      : columns.get(field) === true && value === project,
  );
}
