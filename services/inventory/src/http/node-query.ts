import {
  BadRequestError,
  NODE_LIST_FIELDS,
  nodeField,
  NotAcceptableError,
} from '@tenure/contracts';
import { checkedValue, isUuid } from '../domain/node-values.js';
import { PROVISION_STATES } from '../domain/states.js';
import { type Condition } from '../ports/record-store.js';
import { MAX_PAGE } from './internal-query.js';
import { sinceOf } from './views/node-view.js';

/** A node list as it was asked for. */
export interface NodeListRequest {
  /** What to show of each node; undefined shows everything. */
  readonly fields: readonly string[] | undefined;
  readonly limit: number;
  readonly marker: string | undefined;
  readonly order: { readonly field: string | null; readonly descending: boolean };
  readonly where: readonly Condition[];
  /** Hostname of a conductor to filter by. */
  readonly conductor: string | undefined;
  /** Fields whose values the answer depends on. */
  readonly compared: readonly string[];
  /** Parameters that the next page repeats. */
  readonly kept: readonly (readonly [string, string])[];
}

interface Parameter {
  readonly since: number;
  /** The field that is compared. */
  readonly field: string;
  readonly condition: (value: string) => Condition | undefined;
}

const invalid = (name: string, value: string): BadRequestError =>
  new BadRequestError(`Invalid value for ${name}: "${value.slice(0, 64)}".`);

const flag = (name: string, text: string): boolean => {
  const value = checkedBoolean(text);
  if (value === undefined) throw invalid(name, text);
  return value;
};

const checkedBoolean = (text: string): boolean | undefined => {
  try {
    return checkedValue('maintenance', text) === true;
  } catch {
    return undefined;
  }
};

const equals = (
  field: string,
  since: number,
  normal: (value: string) => string = (value) => value,
): Parameter => ({
  since,
  field,
  condition: (value) => ({ field, op: 'eq', value: normal(value) }),
});

const uuidText =
  (name: string) =>
  (value: string): string => {
    if (!isUuid(value))
      throw new BadRequestError(`Expected a UUID but received ${value.slice(0, 64)} for ${name}.`);
    return value.toLowerCase();
  };

const knownState = (value: string): string => {
  if (!PROVISION_STATES.has(value))
    throw new BadRequestError(`Provision state "${value.slice(0, 64)}" is not valid`);
  return value;
};

const isFlag = (field: string, since: number): Parameter => ({
  since,
  field,
  condition: (value) => ({ field, op: 'eq', value: flag(field, value) }),
});

const PARAMETERS: Readonly<Record<string, Parameter>> = {
  chassis_uuid: equals('chassis_uuid', 1, uuidText('chassis_uuid')),
  instance_uuid: equals('instance_uuid', 1, uuidText('instance_uuid')),
  associated: {
    since: 1,
    field: 'instance_uuid',
    condition: (value) => ({
      field: 'instance_uuid',
      op: flag('associated', value) ? 'not_null' : 'null',
    }),
  },
  maintenance: isFlag('maintenance', 1),
  provision_state: equals('provision_state', 9, knownState),
  driver: equals('driver', 16),
  resource_class: equals('resource_class', 21),
  fault: equals('fault', 42),
  conductor_group: equals('conductor_group', 46, (value) => value.toLowerCase()),
  conductor: { since: 49, field: 'conductor', condition: () => undefined },
  owner: equals('owner', 50),
  description_contains: {
    since: 51,
    field: 'description',
    condition: (value) => ({ field: 'description', op: 'contains', value }),
  },
  retired: isFlag('retired', 61),
  lessee: equals('lessee', 65),
};

/** Newer than the newest version served: known, so 406 and not 400. */
const TOO_NEW: Readonly<Record<string, number>> = {
  shard: 82,
  sharded: 82,
  parent_node: 83,
  include_children: 83,
  instance_name: 104,
};

const PLAIN: Readonly<Record<string, number>> = {
  limit: 1,
  marker: 1,
  sort_key: 1,
  sort_dir: 1,
  fields: 8,
  detail: 43,
};

type Query = Readonly<Record<string, string>>;

/**
 * Query parameters as text, each given once, known, and not newer than the microversion.
 * @param known parameters and the microversion (minor) of each
 * @throws BadRequestError, NotAcceptableError
 */
export const textParameters = (
  query: unknown,
  known: Readonly<Record<string, number>>,
  minor: number,
): Query => {
  const entries = Object.entries(query as Record<string, unknown>).map(
    ([name, value]): [string, string] => {
      const since = Object.hasOwn(known, name) ? known[name] : undefined;
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
};

/**
 * `fields=`: the members to show, each once.
 * @throws BadRequestError for an unknown one; NotAcceptableError for one that is newer than the microversion
 */
export const fieldsOf = (
  text: string | undefined,
  minor: number,
): readonly string[] | undefined => {
  const names = [
    ...new Set(
      (text ?? '')
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== ''),
    ),
  ];
  if (names.length === 0) return undefined;
  const unknown = names.filter((name) => sinceOf(name) === undefined);
  if (unknown.length > 0)
    throw new BadRequestError(`Field(s) "${unknown.join(', ').slice(0, 255)}" are not valid`);
  if (names.some((name) => (sinceOf(name) ?? 0) > minor)) throw new NotAcceptableError();
  return names;
};

const limitIn = ({ limit }: Query): number => {
  if (limit === undefined) return MAX_PAGE;
  if (!/^[0-9]{1,18}$/u.test(limit) || Number(limit) === 0)
    throw new BadRequestError('Limit must be positive');
  return Math.min(Number(limit), MAX_PAGE);
};

const orderIn = (
  { sort_key: key = 'id', sort_dir: direction = 'asc' }: Query,
  minor: number,
): NodeListRequest['order'] => {
  if (direction !== 'asc' && direction !== 'desc')
    throw new BadRequestError(
      `Invalid sort direction: ${direction.slice(0, 64)}. Acceptable values are 'asc' or 'desc'`,
    );
  const descending = direction === 'desc';
  if (key === 'id') return { field: null, descending };
  const field = nodeField(key);
  if (field?.sortable !== true)
    throw new BadRequestError(
      `The sort_key value "${key.slice(0, 64)}" is an invalid field for sorting`,
    );
  if (field.since > minor) throw new NotAcceptableError();
  return { field: key, descending };
};

const shownFields = (query: Query, whole: boolean, minor: number): NodeListRequest['fields'] => {
  const detail = query['detail'] !== undefined && flag('detail', query['detail']);
  if (detail && query['fields'] !== undefined)
    throw new BadRequestError('Can not specify ?detail=True and fields in the same request.');
  return whole || detail ? undefined : (fieldsOf(query['fields'], minor) ?? NODE_LIST_FIELDS);
};

// In the order in which Ironic's own links name them.
const DEFAULT_FIELDS_TEXT = 'instance_uuid,maintenance,power_state,provision_state,uuid,name';

const keptParameters = (
  query: Query,
  filters: readonly string[],
  whole: boolean,
  minor: number,
): NodeListRequest['kept'] => {
  const detail = query['detail'];
  const shown: [string, string][] = [];
  if (detail !== undefined && !whole && flag('detail', detail)) shown.push(['detail', 'True']);
  else if (!whole && minor >= 8) shown.push(['fields', query['fields'] ?? DEFAULT_FIELDS_TEXT]);
  return [
    ['sort_key', query['sort_key'] ?? 'id'],
    ['sort_dir', query['sort_dir'] ?? 'asc'],
    ...shown,
    ...filters.map((name): [string, string] => [name, query[name] ?? '']),
  ];
};

/** Fields named by sorting and filtering: known before anything is looked up, so that masked ones can be refused. */
const comparedFields = (query: Query, filters: readonly string[]): readonly string[] => [
  ...filters.flatMap((name) => PARAMETERS[name]?.field ?? []),
  ...(query['sort_key'] === undefined ? [] : [query['sort_key']]),
];

export interface NodeListOptions {
  readonly minor: number;
  /** Whether it is `/v1/nodes/detail`. */
  readonly whole: boolean;
  /** Refuses sorting and filtering by fields whose values the caller may not see. */
  readonly assertComparable: (fields: readonly string[]) => void;
}

/**
 * The query of a node list.
 * @throws BadRequestError, NotAcceptableError, and what `assertComparable` throws
 */
export const nodeListRequest = (
  query: unknown,
  { minor, whole, assertComparable }: NodeListOptions,
): NodeListRequest => {
  const { fields: fieldsSince, detail: detailSince, ...plain } = PLAIN;
  const known = {
    ...plain,
    ...TOO_NEW,
    ...(!whole && { fields: fieldsSince ?? 0, detail: detailSince ?? 0 }),
    ...Object.fromEntries(Object.entries(PARAMETERS).map(([name, { since }]) => [name, since])),
  };
  const given = textParameters(query, known, minor);
  const filters = Object.keys(given).filter((name) => Object.hasOwn(PARAMETERS, name));
  const compared = comparedFields(given, filters);
  assertComparable(compared);
  return {
    fields: shownFields(given, whole, minor),
    limit: limitIn(given),
    marker: given['marker'],
    order: orderIn(given, minor),
    where: filters.flatMap((name) => PARAMETERS[name]?.condition(given[name] ?? '') ?? []),
    conductor: given['conductor'],
    compared,
    kept: keptParameters(given, filters, whole, minor),
  };
};
