import { BadRequestError, limitIn, MAX_PAGE, type PolicyFilter } from '@tenure/contracts';
import { restrictionOf } from '../domain/visibility.js';
import { type Condition, type RecordQuery, positionAfter } from '../ports/record-store.js';
import { type StoredServer } from '../ports/stores.js';

type Query = Readonly<Record<string, string>>;

const EQUAL = [
  'availability_zone',
  'flavor_id',
  'hostname',
  'image_ref',
  'key_name',
  'locked_by',
  'node_uuid',
  'project_id',
  'task_state',
  'user_id',
  'uuid',
  'vm_state',
] as const;
const CONTAINS: Readonly<Record<string, string>> = {
  name_contains: 'name',
  description_contains: 'description',
};
const SORTABLE = [
  'availability_zone',
  'created_at',
  'flavor_id',
  'hostname',
  'image_ref',
  'key_name',
  'launched_at',
  'name',
  'power_state',
  'project_id',
  'status',
  'task_state',
  'updated_at',
  'user_id',
  'uuid',
  'vm_state',
];

/** Every parameter of the list of servers. */
export const SERVER_PARAMETERS: readonly string[] = [
  'limit',
  'marker',
  'sort_key',
  'sort_dir',
  'name',
  'status',
  'pending',
  'locked',
  'power_state',
  'tags',
  'changed_after',
  'changed_until',
  ...EQUAL,
  ...Object.keys(CONTAINS),
];

/** By parameter: the condition that its value makes. */
const CONDITIONS: Readonly<Record<string, (value: string) => Condition>> = {
  name: (value) => ({ field: 'name', op: 'eq', value }),
  status: (value) => ({ field: 'status', op: 'in', values: value.split(',') }),
  tags: (value) => ({ field: 'tags', op: 'has_all', values: value.split(',') }),
  power_state: (value) => ({ field: 'power_state', op: 'eq', value: Number(value) }),
  pending: (value) => ({
    field: 'task_state',
    op: yesOrNo('pending', value) ? 'not_null' : 'null',
  }),
  locked: (value) => ({ field: 'locked_by', op: yesOrNo('locked', value) ? 'not_null' : 'null' }),
  changed_after: (value) => ({ field: 'updated_at', op: 'null_or_above', value }),
  changed_until: (value) => ({ field: 'updated_at', op: 'at_most', value }),
  ...Object.fromEntries(
    EQUAL.map((field) => [field, (value: string): Condition => ({ field, op: 'eq', value })]),
  ),
  ...Object.fromEntries(
    Object.entries(CONTAINS).map(([parameter, field]) => [
      parameter,
      (value: string): Condition => ({ field, op: 'contains', value }),
    ]),
  ),
};

/** The fields that a policy's filter of servers may name. */
export const SERVER_FILTER_FIELDS = ['project_id'] as const;

/**
 * The query of a list of servers, restricted by the policy's filter.
 * @param marker the server before the page
 * @throws BadRequestError
 */
export function serverQueryOf(
  query: Query,
  filter: PolicyFilter,
  marker: StoredServer | undefined,
): RecordQuery {
  const order = orderOf(query);
  return {
    anyOf: restrictionOf(filter, SERVER_FILTER_FIELDS),
    where: Object.entries(query).flatMap(([name, value]) => CONDITIONS[name]?.(value) ?? []),
    order,
    after: marker === undefined ? null : positionAfter(marker, order),
    limit: limitIn(query['limit'], MAX_PAGE + 1),
  };
}

function yesOrNo(name: string, value: string): boolean {
  if (value !== 'true' && value !== 'false')
    throw new BadRequestError(`${name} can only be true or false.`);
  return value === 'true';
}

function orderOf({ sort_key: key, sort_dir: direction = 'asc' }: Query): RecordQuery['order'] {
  if (key !== undefined && !SORTABLE.includes(key))
    throw new BadRequestError(`Servers cannot be sorted by ${key.slice(0, 64)}.`);
  if (direction !== 'asc' && direction !== 'desc')
    throw new BadRequestError('sort_dir can only be asc or desc.');
  return { field: key ?? null, descending: direction === 'desc' };
}
