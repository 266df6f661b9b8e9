import { AccessDeniedError, fieldOf, type Obligations, type PolicyFilter } from '@tenure/contracts';

/** Alternatives of which a row must match one; null is no restriction, none matches nothing. */
export type Restriction = readonly { readonly field: string; readonly value: string }[] | null;

/**
 * The fields that a policy's filter may name, per kind of record. Any other field is a mistake that must not widen a
 * list.
 */
export const NODE_FILTER_FIELDS = ['owner', 'lessee'] as const;
export const ALLOCATION_FILTER_FIELDS = ['owner'] as const;
export const HANDOVER_FILTER_FIELDS = ['node_uuid', 'owner', 'from_project', 'to_project'] as const;

// A `linkable` filter may also have conditions on VIFs and volumes, by project; they do not apply to nodes.
const LINK_FILTER_FIELDS = [...NODE_FILTER_FIELDS, 'project_id'] as const;

/**
 * The policy's filter as a part of the database query.
 * @throws Error (500) for a predicate on a field that is not filterable: ignoring it would show too much
 */
export function restrictionOf(filter: PolicyFilter, allowed: readonly string[]): Restriction {
  if (filter.mode === 'all') return null;
  if (filter.mode === 'none') return [];
  for (const { field } of filter.predicates)
    if (!allowed.includes(field))
      throw new Error(`the policy filters by ${field}, which is not filterable`);
  return filter.predicates.map(({ field, value }) => ({ field, value }));
}

/** Whether a row passes the policy's filter. */
export function isVisible(row: object, filter: PolicyFilter, allowed: readonly string[]): boolean {
  const restriction = restrictionOf(filter, allowed);
  return (
    restriction === null || restriction.some(({ field, value }) => fieldOf(row, field) === value)
  );
}

/**
 * Whether the caller may link something to this node, or name it in a filter.
 * @param filter of a decision with linkable resources (create and update of nodes and of the records that belong to them)
 */
export function isLinkable(node: object, filter: PolicyFilter): boolean {
  const restriction = restrictionOf(filter, LINK_FILTER_FIELDS);
  return (
    restriction === null ||
    restriction.some(({ field, value }) => field !== 'project_id' && fieldOf(node, field) === value)
  );
}

/**
 * The masked fields of one row of a list: those masked everywhere, and those masked by every predicate that the row
 * matches.
 */
export function maskedInRow(row: object, { filter, fields }: Obligations): ReadonlySet<string> {
  const masked = new Set(fields.masked);
  if (filter.mode !== 'any_of') return masked;
  const [first, ...rest] = filter.predicates.filter(
    ({ field, value }) => fieldOf(row, field) === value,
  );
  for (const name of first?.masked ?? [])
    if (rest.every((predicate) => predicate.masked?.includes(name) === true)) masked.add(name);
  return masked;
}

/**
 * Sorting or filtering by a masked field would reveal its value, one comparison at a time.
 * @throws AccessDeniedError naming the field
 */
export function assertComparable(names: readonly string[], obligations: Obligations): void {
  const hidden = maskedSomewhere(obligations);
  const name = names.find((candidate) => hidden.has(candidate));
  if (name !== undefined) throw new AccessDeniedError(`baremetal:node:get:${name}`);
}

/** Value of `X-Tenure-Policy-Filter`: it lets an operator distinguish an empty list from a filtered one. */
export function filterHeaderOf({ mode, predicates }: PolicyFilter): string {
  if (mode === 'all') return 'all';
  const names = mode === 'none' ? [] : [...new Set(predicates.map(({ field }) => field))];
  return names.length === 0 ? 'none' : names.join(',');
}

/** Every field that is masked in some row for this caller. */
const maskedSomewhere = ({ filter, fields }: Obligations): ReadonlySet<string> =>
  new Set([...fields.masked, ...filter.predicates.flatMap(({ masked }) => masked ?? [])]);
