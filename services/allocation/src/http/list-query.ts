import {
  type AllocationRecord,
  BadRequestError,
  limitIn,
  NotAcceptableError,
  orderIn,
} from '@tenure/contracts';
import { OWNER_SINCE } from '../domain/allocation-request.js';
import { ALLOCATION_SORT_KEYS, type AllocationQuery } from '../ports/allocation-store.js';
import { ALLOCATION_MEMBERS, type AllocationMember } from './allocation-view.js';

const MAX_VALUE = 255;
const KEYS = [
  'node',
  'resource_class',
  'state',
  'owner',
  'fields',
  'limit',
  'marker',
  'sort_key',
  'sort_dir',
] as const;
type Key = (typeof KEYS)[number];
const STATES: readonly AllocationRecord['state'][] = ['allocating', 'active', 'error'];

/** The query of a list, checked. */
export interface ListQuery {
  /** Name or uuid. */
  readonly node?: string;
  /** Undefined: any; null: one that no allocation is ever in. */
  readonly state?: AllocationRecord['state'] | null;
  readonly fields?: readonly AllocationMember[];
  /** What the store is asked as it stands. */
  readonly conditions: Omit<AllocationQuery, 'node_uuid' | 'state'>;
  /** What `next` must repeat. */
  readonly repeated: readonly (readonly [string, string])[];
}

const isKey = (key: string): key is Key => (KEYS as readonly string[]).includes(key);

const readPairs = (
  query: Readonly<Record<string, unknown>>,
  allowed: readonly string[],
): ReadonlyMap<Key, string> =>
  new Map(
    Object.entries(query).map(([key, value]): [Key, string] => {
      if (!isKey(key) || !allowed.includes(key))
        throw new BadRequestError(`Unknown query parameter: ${key.slice(0, 64)}`);
      if (typeof value !== 'string')
        throw new BadRequestError(`The query parameter ${key} was given twice.`);
      if (value.length > (key === 'fields' ? 1024 : MAX_VALUE))
        throw new BadRequestError(`The query parameter ${key} is too long.`);
      return [key, value];
    }),
  );

/** The microversion of a field by which allocations may be ordered. */
const sortableSince = (field: string): number | undefined => {
  if (field === 'owner') return OWNER_SINCE;
  return ALLOCATION_SORT_KEYS.some((key) => key === field) ? 1 : undefined;
};

const readFields = (
  text: string | undefined,
  minor: number,
): readonly AllocationMember[] | undefined => {
  if (text === undefined || text === '') return undefined;
  const names = new Set(text.split(',').map((part) => part.trim()));
  return [...names].map((name) => {
    const member = ALLOCATION_MEMBERS.find((known) => known === name);
    if (member === undefined)
      throw new BadRequestError(`Field(s) "${name.slice(0, 64)}" are not valid.`);
    if (member === 'owner' && minor < OWNER_SINCE) throw new NotAcceptableError();
    return member;
  });
};

// Keys that were not given must be absent, not undefined.
const given = <K extends Key>(
  pairs: ReadonlyMap<Key, string>,
  ...names: readonly K[]
): Partial<Record<K, string>> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = pairs.get(name);
      return value === undefined ? [] : [[name, value]];
    }),
  ) as Partial<Record<K, string>>; // only keys of `names` are in it

const readOrder = (
  pairs: ReadonlyMap<Key, string>,
  minor: number,
): Pick<AllocationQuery, 'sort_key' | 'sort_dir'> => {
  const { field, descending } = orderIn(given(pairs, 'sort_key', 'sort_dir'), sortableSince, minor);
  const key = ALLOCATION_SORT_KEYS.find((name) => name === field);
  return { ...(key !== undefined && { sort_key: key }), sort_dir: descending ? 'desc' : 'asc' };
};

const readState = (text: string | undefined): Pick<ListQuery, 'state'> =>
  text === undefined ? {} : { state: STATES.find((known) => known === text) ?? null };

/**
 * Reads the query of `GET /v1/allocations`.
 * @throws BadRequestError for unknown, repeated or unusable parameters
 * @throws NotAcceptableError for `owner` before 1.60
 */
export const readListQuery = (
  query: Readonly<Record<string, unknown>>,
  minor: number,
): ListQuery => {
  const pairs = readPairs(query, KEYS);
  if (pairs.has('owner') && minor < OWNER_SINCE) throw new NotAcceptableError();
  if (pairs.get('node') === '')
    throw new BadRequestError('The query parameter node must not be empty.');
  const fields = readFields(pairs.get('fields'), minor);
  return {
    ...given(pairs, 'node'),
    ...readState(pairs.get('state')),
    ...(fields !== undefined && { fields }),
    conditions: {
      ...given(pairs, 'resource_class', 'owner', 'marker'),
      limit: limitIn(pairs.get('limit')),
      ...readOrder(pairs, minor),
    },
    repeated: [...pairs].filter(([key]) => key !== 'limit' && key !== 'marker'),
  };
};

/** Reads the query of `GET /v1/allocations/{id}`: `fields` only. @throws as {@link readListQuery} */
export const readItemQuery = (
  query: Readonly<Record<string, unknown>>,
  minor: number,
): readonly AllocationMember[] | undefined =>
  readFields(readPairs(query, ['fields']).get('fields'), minor);
