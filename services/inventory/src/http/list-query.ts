import {
  BadRequestError,
  limitIn,
  type ListFilter,
  type ListOrder,
  NotAcceptableError,
  orderIn,
  type ResourceCatalogue,
} from '@tenure/contracts';
import { flag } from './query-flag.js';
import { isDetailed, membersOf } from './query-members.js';

export type Query = Readonly<Record<string, string>>;

/** A parsed request for a list. */
export interface ListRequest {
  /** Members to return of each record; undefined returns all. */
  readonly fields: readonly string[] | undefined;
  readonly limit: number;
  readonly marker: string | undefined;
  readonly order: ListOrder;
  /** Parameters that the next page repeats. */
  readonly kept: readonly (readonly [string, string])[];
}

/** The mode of a list. */
export interface ListMode {
  /** Minor of the negotiated microversion. */
  readonly minor: number;
  /** Whether the path ends in `/detail`. */
  readonly whole: boolean;
  /** Whether it is a list below another record, which is a filter already. */
  readonly below?: boolean;
}

/**
 * Query parameters as text, each given once, allowed, and not newer than the microversion.
 * @param allowed parameters and the microversion (minor) of each
 * @throws BadRequestError, NotAcceptableError
 */
export function textParameters(
  query: unknown,
  allowed: Readonly<Record<string, number>>,
  minor: number,
): Query {
  const entries = Object.entries(query as Record<string, unknown>).map(
    ([name, value]): [string, string] => {
      const since = Object.hasOwn(allowed, name) ? allowed[name] : undefined;
      if (since === undefined)
        throw new BadRequestError(`Unknown argument: "${name.slice(0, 64)}".`);
      const text: unknown = name === 'fields' && Array.isArray(value) ? value.join(',') : value;
      if (typeof text !== 'string' || text.length > 4096)
        throw new BadRequestError(
          `The argument "${name}" is given more than once, or is too long.`,
        );
      if (since > minor) throw new NotAcceptableError();
      return [name, text];
    },
  );
  return Object.fromEntries(entries);
}

/**
 * The parameters of a list.
 * @throws BadRequestError, NotAcceptableError
 */
export function listParameters(
  query: unknown,
  { filters, viewSince }: ResourceCatalogue,
  { minor, whole, below = false }: ListMode,
): Query {
  const narrowing = Object.values(filters)
    .filter((filter) => !below || filter.below)
    .map(({ name, since }) => [name, since] as const);
  return textParameters(
    query,
    {
      limit: 1,
      marker: 1,
      sort_key: 1,
      sort_dir: 1,
      ...(!whole && viewSince),
      ...Object.fromEntries(narrowing),
    },
    minor,
  );
}

/** Fields in sorting and filters, which are checked before anything is looked up, so that masked ones can be refused. */
export const comparedFields = (given: Query, catalogue: ResourceCatalogue): readonly string[] => [
  ...filtersIn(given, catalogue).flatMap(({ field }) => field ?? []),
  ...(given['sort_key'] === undefined ? [] : [given['sort_key']]),
];

/**
 * The parsed parameters of a list, without its filters.
 * @throws BadRequestError, NotAcceptableError
 */
export function listRequest(
  given: Query,
  catalogue: ResourceCatalogue,
  mode: ListMode,
): ListRequest {
  const named = membersOf(given['fields'], mode.minor, catalogue.sinceOf);
  return {
    fields: isDetailed(given) || mode.whole ? undefined : (named ?? briefOf(catalogue)),
    limit: limitIn(given['limit']),
    marker: given['marker'],
    order: orderIn(given, catalogue.sortableSince, mode.minor),
    kept: keptParameters(given, catalogue, mode),
  };
}

/** The address of the page after `marker`. */
export function nextLink(
  path: string,
  { kept, limit }: Pick<ListRequest, 'kept' | 'limit'>,
  marker: string,
  base: string,
): string {
  const query = [...kept, ['limit', String(limit)] as const, ['marker', marker] as const];
  const text = query
    .map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll('%2C', ',')}`)
    .join('&');
  return `${base}${path}?${text}`;
}

const filtersIn = (given: Query, { filters }: ResourceCatalogue): readonly ListFilter[] =>
  Object.keys(given).flatMap((name) => filters[name] ?? []);

/** A record shows its uuid first, wherever the links name it. */
const briefOf = ({ listFields }: ResourceCatalogue): readonly string[] => [
  'uuid',
  ...listFields.filter((name) => name !== 'uuid'),
];

function keptParameters(
  given: Query,
  catalogue: ResourceCatalogue,
  { minor, whole }: ListMode,
): ListRequest['kept'] {
  const { detail, fields } = given;
  const members: [string, string][] = [];
  if (detail !== undefined && !whole && flag('detail', detail)) members.push(['detail', 'True']);
  else if (!whole && minor >= catalogue.viewSince.fields)
    members.push(['fields', fields ?? catalogue.listFields.join(',')]);
  return [
    ['sort_key', given['sort_key'] ?? 'id'],
    ['sort_dir', given['sort_dir'] ?? 'asc'],
    ...members,
    ...filtersIn(given, catalogue).map(({ name }): [string, string] => [name, given[name] ?? '']),
  ];
}
