import {
  ALLOCATION_CATALOGUE,
  ALLOCATION_STATES,
  type AllocationRecord,
  BadRequestError,
  limitIn,
  NotAcceptableError,
  orderIn,
} from '@tenure/contracts';
import { type AllocationQuery } from '../ports/allocation-store.js';

const MAX_VALUE = 255;
const { filters, sinceOf, sortableSince } = ALLOCATION_CATALOGUE;
const LIST_KEYS = ['fields', 'limit', 'marker', 'sort_key', 'sort_dir', ...Object.keys(filters)];

/** The query of a list, checked. */
export interface ListQuery {
  /** Name or uuid. */
  readonly node?: string;
  /** Undefined: any; null: one that no allocation is ever in. */
  readonly state?: AllocationRecord['state'] | null;
  readonly fields?: readonly string[];
  /** Parameters that the store receives unchanged. */
  readonly conditions: Omit<AllocationQuery, 'node_uuid' | 'state'>;
  /** The parameters that `next` must repeat. */
  readonly repeated: readonly (readonly [string, string])[];
}

type Given = Readonly<Record<string, string>>;

/**
 * Reads the query of `GET /v1/allocations`.
 * @throws BadRequestError for unknown, repeated or unusable parameters
 * @throws NotAcceptableError for `owner` before 1.60
 */
export function readListQuery(query: Readonly<Record<string, unknown>>, minor: number): ListQuery {
  const given = readPairs(query, LIST_KEYS, minor);
  const { node, state, resource_class, owner, marker } = given;
  if (node === '') throw new BadRequestError('The query parameter node must not be empty.');
  const fields = readFields(given['fields'], minor);
  return {
    ...(node !== undefined && { node }),
    ...readState(state),
    ...(fields !== undefined && { fields }),
    conditions: {
      ...(resource_class !== undefined && { resource_class }),
      ...(owner !== undefined && { owner }),
      ...(marker !== undefined && { marker }),
      limit: limitIn(given['limit']),
      ...readOrder(given, minor),
    },
    repeated: Object.entries(given).filter(([key]) => key !== 'limit' && key !== 'marker'),
  };
}

/** Reads the query of `GET /v1/allocations/{id}`: `fields` only. @throws as {@link readListQuery} */
export const readItemQuery = (
  query: Readonly<Record<string, unknown>>,
  minor: number,
): readonly string[] | undefined =>
  readFields(readPairs(query, ['fields'], minor)['fields'], minor);

/** @throws BadRequestError; NotAcceptableError for a filter that is newer than the microversion */
const readPairs = (
  query: Readonly<Record<string, unknown>>,
  allowed: readonly string[],
  minor: number,
): Given =>
  Object.fromEntries(
    Object.entries(query).map(([key, value]): [string, string] => {
      if (!allowed.includes(key))
        throw new BadRequestError(`Unknown query parameter: ${key.slice(0, 64)}`);
      if (typeof value !== 'string')
        throw new BadRequestError(`The query parameter ${key} was given twice.`);
      if (value.length > (key === 'fields' ? 1024 : MAX_VALUE))
        throw new BadRequestError(`The query parameter ${key} is too long.`);
      if ((filters[key]?.since ?? 0) > minor) throw new NotAcceptableError();
      return [key, value];
    }),
  );

function readFields(text: string | undefined, minor: number): readonly string[] | undefined {
  if (text === undefined || text === '') return undefined;
  const names = [...new Set(text.split(',').map((part) => part.trim()))];
  for (const name of names) {
    const since = sinceOf(name);
    if (since === undefined)
      throw new BadRequestError(`Field(s) "${name.slice(0, 64)}" are not valid.`);
    if (since > minor) throw new NotAcceptableError();
  }
  return names;
}

const readState = (text: string | undefined): Pick<ListQuery, 'state'> =>
  text === undefined ? {} : { state: ALLOCATION_STATES.find((state) => state === text) ?? null };

function readOrder(given: Given, minor: number): Pick<AllocationQuery, 'sort_key' | 'sort_dir'> {
  const { field, descending } = orderIn(given, sortableSince, minor);
  return { ...(field !== null && { sort_key: field }), sort_dir: descending ? 'desc' : 'asc' };
}
