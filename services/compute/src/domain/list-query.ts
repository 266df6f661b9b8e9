import { BadRequestError, booleanIn, timestampOf } from '@tenure/contracts';
import { OTHER_STATUSES, STATUSES } from './status.js';

/** Query parameters as they came: one that is repeated is a list. */
export type RawQuery = Readonly<Record<string, unknown>>;

/** A list query to the inventory. */
export interface ServerListing {
  /** Conditions and order, by the inventory's names. */
  readonly query: Readonly<Record<string, string>>;
  /** Nothing can match: no server here ever satisfies the condition. */
  readonly isEmpty: boolean;
  readonly limit: number;
  readonly marker: string | undefined;
  /** Parameters that the link to the next page repeats. */
  readonly kept: readonly [string, string][];
}

const MAX_PAGE = 1000;
const TAGS_SINCE = 26;
const STATUS_CHECKED_SINCE = 38;
const CHANGES_BEFORE_SINCE = 66;
const LOCKED_SINCE = 73;

const SORT_KEYS: Readonly<Record<string, string>> = {
  availability_zone: 'availability_zone',
  created_at: 'created_at',
  display_name: 'name',
  hostname: 'hostname',
  image_ref: 'image_ref',
  instance_type_id: 'flavor_id',
  key_name: 'key_name',
  launched_at: 'launched_at',
  power_state: 'power_state',
  project_id: 'project_id',
  task_state: 'task_state',
  updated_at: 'updated_at',
  user_id: 'user_id',
  uuid: 'uuid',
  vm_state: 'vm_state',
};

type Conditions = Readonly<Record<string, string>> | 'nothing';

const deletedOnly = (name: string, value: string): Conditions =>
  yes(name, value) ? 'nothing' : {};

type Reader = (values: readonly [string, ...string[]], minor: number) => Conditions;

const equal =
  (field: string): Reader =>
  ([value]) =>
    value === '' ? {} : { [field]: value };

/** The conditions of each parameter. */
const READERS: Readonly<Record<string, Reader>> = {
  all_tenants: () => ({}),
  availability_zone: equal('availability_zone'),
  'changes-before': ([value]) => ({ changed_until: timestampOf(moment('changes-before', value)) }),
  // Includes changes in that very second: moments are stored in whole seconds.
  'changes-since': ([value]) => ({
    changed_after: timestampOf(new Date(moment('changes-since', value).getTime() - 1000)),
  }),
  deleted: ([value]) => deletedOnly('deleted', value),
  description: ([value]) => (value.startsWith('^') ? 'nothing' : pattern('description', value)),
  flavor: equal('flavor_id'),
  hostname: equal('hostname'),
  image: equal('image_ref'),
  key_name: equal('key_name'),
  locked: ([value]) => ({ locked: String(yes('locked', value)) }),
  name: ([value]) => pattern('name', value),
  power_state: ([value]) => (/^[0-7]$/u.test(value) ? { power_state: value } : 'nothing'),
  project_id: equal('project_id'),
  soft_deleted: ([value]) => deletedOnly('soft_deleted', value),
  status: statuses,
  tags: ([value]) => ({ tags: value }),
  task_state: equal('task_state'),
  tenant_id: equal('project_id'),
  user_id: equal('user_id'),
  uuid: equal('uuid'),
  vm_state: equal('vm_state'),
};

const SINCE: Readonly<Record<string, number>> = {
  'changes-before': CHANGES_BEFORE_SINCE,
  locked: LOCKED_SINCE,
  tags: TAGS_SINCE,
};

const PAGING = ['limit', 'marker', 'sort_key', 'sort_dir'] as const;

/**
 * `limit`: up to 1,000; 0 is as many as there may be.
 * @throws BadRequestError
 */
export function limitIn(text: string | undefined): number {
  if (text === undefined) return MAX_PAGE;
  if (!/^[0-9]{1,18}$/u.test(text))
    throw new BadRequestError('Invalid input for query parameters limit: it is no whole number.');
  return Number(text) === 0 ? MAX_PAGE : Math.min(Number(text), MAX_PAGE);
}

/**
 * The parameters of a list of servers.
 * @param minor microversion: 2.`minor`
 * @throws BadRequestError for an unknown parameter: ignoring a filter would return servers that were not requested
 */
export function readListQuery(raw: RawQuery, minor: number): ServerListing {
  const conditions = conditionsOf(raw, minor);
  return {
    query: Object.assign(
      {},
      orderOf(raw),
      ...conditions.filter((one) => one !== 'nothing'),
    ) as Readonly<Record<string, string>>, // of the members above
    isEmpty: conditions.includes('nothing'),
    limit: limitIn(single(raw, 'limit')),
    marker: single(raw, 'marker'),
    kept: Object.keys(raw)
      .filter((name) => name !== 'marker')
      .flatMap((name) => valuesOf(name, raw[name]).map((value): [string, string] => [name, value])),
  };
}

function yes(name: string, value: string): boolean {
  const found = booleanIn(value);
  if (typeof found !== 'boolean')
    throw new BadRequestError(
      `Invalid input for query parameters ${name}. Value: ${value.slice(0, 64)}`,
    );
  return found;
}

function moment(name: string, value: string): Date {
  const parsed = new Date(/[zZ]|[+-]\d\d:?\d\d$/u.test(value) ? value : `${value}Z`);
  if (Number.isNaN(parsed.getTime()))
    throw new BadRequestError(`Invalid input for query parameters ${name}.`);
  return parsed;
}

/** Nova takes a regular expression; what is one beyond plain text is refused, for it would cost what it wants to. */
function pattern(field: string, value: string): Conditions {
  const isWhole = value.startsWith('^') && value.endsWith('$');
  const plain = value.replaceAll(/^\^|\$$/gu, '').replaceAll(/\\([.\-_ ])/gu, '$1');
  if (/[\\^$*+?()[\]{}|]/u.test(plain))
    throw new BadRequestError(`Invalid filter ${field}: only plain text is taken here.`);
  if (plain === '') return {};
  return isWhole ? { [field]: plain } : { [`${field}_contains`]: plain };
}

function statuses(values: readonly string[], minor: number): Conditions {
  const requested = values.map((value) => value.toUpperCase());
  const unknown = requested.find(
    (value) => !STATUSES.includes(value) && !OTHER_STATUSES.includes(value),
  );
  if (unknown !== undefined && minor >= STATUS_CHECKED_SINCE)
    throw new BadRequestError('Invalid status value');
  const supported = requested.filter((value) => STATUSES.includes(value));
  return supported.length === 0 ? 'nothing' : { status: supported.join(',') };
}

const conditionsOf = (raw: RawQuery, minor: number): readonly Conditions[] =>
  Object.keys(raw)
    .filter((name) => !(PAGING as readonly string[]).includes(name))
    .map((name) => {
      const reader = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
      if (reader === undefined || (SINCE[name] ?? 0) > minor)
        throw new BadRequestError(`Servers cannot be filtered by ${name.slice(0, 64)}.`);
      return reader(valuesOf(name, raw[name]), minor);
    });

function orderOf(raw: RawQuery): Readonly<Record<string, string>> {
  const key = single(raw, 'sort_key');
  const direction = single(raw, 'sort_dir') ?? 'desc';
  if (direction !== 'asc' && direction !== 'desc')
    throw new BadRequestError("Unknown sort direction, must be 'desc' or 'asc'");
  if (key === undefined || key === 'id') return { sort_dir: direction };
  const field = Object.hasOwn(SORT_KEYS, key) ? SORT_KEYS[key] : undefined;
  if (field === undefined) throw new BadRequestError(`Invalid sort key: ${key.slice(0, 64)}`);
  return { sort_key: field, sort_dir: direction };
}

function single(raw: RawQuery, name: string): string | undefined {
  if (raw[name] === undefined) return undefined;
  const [value, ...others] = valuesOf(name, raw[name]);
  if (others.length > 0)
    throw new BadRequestError(`Invalid input for query parameters ${name}: it is taken once only.`);
  return value;
}

function valuesOf(name: string, raw: unknown): readonly [string, ...string[]] {
  const given: readonly unknown[] = Array.isArray(raw) ? raw : [raw];
  const [first, ...others] = given;
  const rest = others.filter((value): value is string => typeof value === 'string');
  if (typeof first !== 'string' || rest.length !== others.length)
    throw new BadRequestError(`Invalid input for query parameters ${name}.`);
  return [first, ...rest];
}
