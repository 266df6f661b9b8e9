import { type TSchema } from '@sinclair/typebox';
import { enumOf } from '../api/values.js';
import { BadRequestError } from '../errors.js';
import { type FieldFilter, listFilter, type ListFilter, type NamedFilter } from './list-filters.js';

/** The type of a field. For every kind, null means "not set" where `initial` is null. */
export type FieldKind =
  | 'string'
  | 'boolean'
  | 'integer'
  | 'object'
  | 'string_list'
  | 'object_list'
  | 'timestamp'
  | 'uuid';

/** The TypeScript type of each kind. */
interface Values {
  readonly string: string;
  readonly boolean: boolean;
  readonly integer: number;
  readonly object: Readonly<Record<string, unknown>>;
  readonly string_list: readonly string[];
  readonly object_list: readonly Readonly<Record<string, unknown>>[];
  readonly timestamp: string;
  readonly uuid: string;
}

type Initial = null | boolean | string | Readonly<Record<string, never>> | readonly never[];

interface FieldFlags {
  /** May appear in POST and PATCH bodies. */
  readonly writable: boolean;
  /** May be a `sort_key`. */
  readonly sortable: boolean;
  /** A POST without it is refused. */
  readonly required: boolean;
  /** The store finds records by it through an index. */
  readonly indexed: boolean;
  /** No two records have the same value; null may repeat. */
  readonly unique: boolean;
  /** The list parameter with the field's name; absent when there is no such parameter. */
  readonly filter?: FieldFilter | undefined;
}

/** How a kind of record declares a field. `T` is the type of the value that is stored. */
export interface FieldDefinition<T> extends FieldFlags {
  readonly kind: FieldKind;
  /** First microversion (minor) that shows it. */
  readonly since: number;
  /** Value of a record on which it was never set. */
  readonly initial: Initial;
  /** The schema of a stored value; by default that of its kind. */
  readonly schema?: TSchema | undefined;
  /** Never set: carries the type of the stored value for the compiler. */
  readonly stored?: T;
}

/** One field of a kind of record. The policy decides who may see or write it, not this table. */
export interface ResourceField extends FieldDefinition<unknown> {
  readonly name: string;
}

/** The fields of a kind of record by name, in the order of the view. */
export type FieldDefinitions = Readonly<Record<string, FieldDefinition<unknown>>>;

/** A record that has these fields. */
export type RecordWith<D extends FieldDefinitions> = {
  readonly [K in keyof D]: D[K] extends FieldDefinition<infer T> ? T : never;
};

type Flags = Partial<FieldFlags>;

const define = <T>(
  kind: FieldKind,
  since: number,
  initial: Initial,
  flags: Flags & { schema?: TSchema | undefined } = {},
): FieldDefinition<T> => ({
  kind,
  since,
  initial,
  writable: false,
  sortable: false,
  required: false,
  indexed: false,
  unique: false,
  ...flags,
});

/** Null until it is set. */
const nullable =
  <K extends FieldKind>(kind: K) =>
  (since: number, flags?: Flags, schema?: TSchema): FieldDefinition<Values[K] | null> =>
    define(kind, since, null, { ...flags, schema });

/** Set when the record is made, and never null. */
const always =
  <K extends FieldKind>(kind: K) =>
  (since: number, flags?: Flags, schema?: TSchema): FieldDefinition<Values[K]> =>
    define(kind, since, null, { ...flags, schema });

const EMPTY_OBJECT = {} as const;
const EMPTY_LIST: readonly never[] = [];

/**
 * Makes the fields of a catalogue. Each takes the microversion (minor) that first shows it, its flags, and a schema where
 * its kind says too little.
 */
export const field = {
  text: nullable('string'),
  integer: nullable('integer'),
  moment: nullable('timestamp'),
  uuid: nullable('uuid'),
  /** A flag that may be unset. */
  optionalFlag: nullable('boolean'),
  givenText: always('string'),
  givenInteger: always('integer'),
  givenMoment: always('timestamp'),
  givenUuid: always('uuid'),
  /** A text that is never null. @param initial until it is set */
  textFrom: (
    since: number,
    initial: string,
    flags?: Flags,
    schema?: TSchema,
  ): FieldDefinition<string> => define('string', since, initial, { ...flags, schema }),
  /** One of a few values. @param initial until it is set */
  oneOf: <const W extends string>(
    values: readonly W[],
    since: number,
    initial: W,
    flags?: Flags,
  ): FieldDefinition<W> =>
    define('string', since, initial, { ...flags, schema: enumOf(...values) }),
  flag: (since: number, flags?: Flags): FieldDefinition<boolean> =>
    define('boolean', since, false, flags),
  /** A flag that is set until it is taken away. */
  flagOn: (since: number, flags?: Flags): FieldDefinition<boolean> =>
    define('boolean', since, true, flags),
  members: (since: number, flags?: Flags, schema?: TSchema): FieldDefinition<Values['object']> =>
    define('object', since, EMPTY_OBJECT, { ...flags, schema }),
  optionalMembers: (since: number, flags?: Flags): FieldDefinition<Values['object'] | null> =>
    define('object', since, null, flags),
  texts: (since: number, flags?: Flags, schema?: TSchema): FieldDefinition<Values['string_list']> =>
    define('string_list', since, EMPTY_LIST, { ...flags, schema }),
  listOfMembers: (
    since: number,
    flags?: Flags,
    schema?: TSchema,
  ): FieldDefinition<Values['object_list']> =>
    define('object_list', since, EMPTY_LIST, { ...flags, schema }),
};

export const WRITABLE = { writable: true } as const;
export const SORTABLE = { sortable: true } as const;
export const WRITABLE_SORTABLE = { writable: true, sortable: true } as const;
/** Found by it. */
export const INDEXED = { indexed: true } as const;
/** Found by it, and no two records have the same value. */
export const UNIQUE = { indexed: true, unique: true } as const;
export const REQUIRED = { writable: true, required: true } as const;
export const REQUIRED_SORTABLE = { writable: true, sortable: true, required: true } as const;

/** Everything about a kind of record that its wire form needs. */
export interface ResourceCatalogue {
  /** The kind as errors name it: `volume target`. */
  readonly what: string;
  /** First microversion (minor) that knows the kind. */
  readonly since: number;
  readonly fields: readonly ResourceField[];
  readonly field: (name: string) => ResourceField | undefined;
  /** Members that are made and not stored, and the microversion that brought each. */
  readonly linkMembers: Readonly<Record<string, number>>;
  /** Members of a list without `detail` or `fields`; `links` come with every record. */
  readonly listFields: readonly string[];
  /** Members of a whole record in the order of the view. */
  readonly members: readonly string[];
  /** First microversion (minor) of a member, or undefined when there is no such member. */
  readonly sinceOf: (member: string) => number | undefined;
  /** First microversion (minor) of a field by which lists may be ordered, or undefined when there is no such field. */
  readonly sortableSince: (name: string) => number | undefined;
  /** Parameters that narrow a list, by name. */
  readonly filters: Readonly<Record<string, ListFilter>>;
  /** First microversions (minor) of the parameters that select the visible members. */
  readonly viewSince: ViewSince;
}

interface ViewSince {
  readonly fields: number;
  readonly detail: number;
}

/** The definition of a catalogue. */
export interface CatalogueParts {
  readonly what: string;
  readonly since: number;
  readonly fields: readonly ResourceField[];
  readonly linkMembers: Readonly<Record<string, number>>;
  readonly listFields: readonly string[];
  /** Members that stand behind the links, in their order; `links` is the first of them. */
  readonly tail: readonly string[];
  /** List parameters that have another name than a field. */
  readonly filters?: Readonly<Record<string, NamedFilter>>;
  /** Absent: both came with the kind. */
  readonly viewSince?: ViewSince;
}

/** The fields that are declared, in their order. */
export const fieldsFrom = (definitions: FieldDefinitions): readonly ResourceField[] =>
  Object.entries(definitions).map(([name, definition]) => ({ name, ...definition }));

export function catalogueOf(parts: CatalogueParts): ResourceCatalogue {
  const { fields, linkMembers, tail, since } = parts;
  const byName = new Map(fields.map((field) => [field.name, field]));
  return {
    ...parts,
    field: (name) => byName.get(name),
    members: [...fields.map(({ name }) => name).filter((name) => !tail.includes(name)), ...tail],
    sinceOf: (member) =>
      byName.get(member)?.since ??
      (Object.hasOwn(linkMembers, member) ? linkMembers[member] : undefined),
    sortableSince: (name) => {
      const field = byName.get(name);
      return field?.sortable === true ? field.since : undefined;
    },
    filters: filtersIn(parts),
    viewSince: parts.viewSince ?? { fields: since, detail: since },
  };
}

/** The error for a member that a body may not have. @param what names the kind, for example `node` */
export const unexpectedMember = (what: string, name: string): BadRequestError =>
  new BadRequestError(
    `Schema error for ${what}: Additional properties are not allowed ('${name.slice(0, 64)}' was unexpected)`,
  );

/**
 * Refuses members that the kind does not have, for every caller and every stored record.
 * @throws BadRequestError naming the first of them
 */
export function assertMembers(
  { what, sinceOf }: Pick<ResourceCatalogue, 'what' | 'sinceOf'>,
  names: readonly string[],
): void {
  const unknown = names.find((name) => sinceOf(name) === undefined);
  if (unknown !== undefined) throw unexpectedMember(what, unknown);
}

function filtersIn({ fields, filters = {} }: CatalogueParts): Readonly<Record<string, ListFilter>> {
  const ofFields = fields.flatMap(({ name, since, filter, kind }) =>
    filter === undefined
      ? []
      : [listFilter(name, { since, test: 'equals', field: name, ...filter }, kind)],
  );
  const named = Object.entries(filters).map(([name, filter]) => listFilter(name, filter, ''));
  return Object.fromEntries([...ofFields, ...named].map((filter) => [filter.name, filter]));
}
