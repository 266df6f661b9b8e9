import { type AllocationRecord, BadRequestError, NotAcceptableError } from '@tenure/contracts';
import { OWNER_SINCE } from '../domain/allocation-request.js';
import { ALLOCATION_SORT_KEYS, type AllocationQuery } from '../ports/allocation-store.js';
import { ALLOCATION_MEMBERS, type AllocationMember } from './allocation-view.js';

const MAX_PAGE = 1000;
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

const readLimit = (text: string | undefined): number => {
  if (text === undefined) return MAX_PAGE;
  if (!/^[0-9]{1,9}$/u.test(text) || Number(text) === 0)
    throw new BadRequestError('Limit must be positive');
  return Math.min(Number(text), MAX_PAGE);
};

// `id` is what Ironic calls the order of creation; it is nothing that a client ever sees.
const readSortKey = (
  text: string | undefined,
  minor: number,
): Pick<AllocationQuery, 'sort_key'> => {
  if (text === undefined || text === 'id') return {};
  const key = ALLOCATION_SORT_KEYS.find((name) => name === text);
  if (key === undefined)
    throw new BadRequestError(`The sort_key value "${text}" is an invalid field for sorting`);
  if (key === 'owner' && minor < OWNER_SINCE) throw new NotAcceptableError();
  return { sort_key: key };
};

const readSortDir = (text: string | undefined): 'asc' | 'desc' => {
  if (text === undefined) return 'asc';
  if (text !== 'asc' && text !== 'desc')
    throw new BadRequestError(
      `Invalid sort direction: ${text}. Acceptable values are 'asc' or 'desc'`,
    );
  return text;
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
      limit: readLimit(pairs.get('limit')),
      ...readSortKey(pairs.get('sort_key'), minor),
      sort_dir: readSortDir(pairs.get('sort_dir')),
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
