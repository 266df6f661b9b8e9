import { type TSchema, Type } from '@sinclair/typebox';
import { type FieldKind, type ResourceCatalogue } from '../resource-fields/catalogue.js';
import { enumOf, exactly, Links, Members, Moment, orNull, since, Text, Uuid } from './values.js';

/** How a kind of record looks in answers. */
export interface RecordSchemas {
  /** A record, possibly only the part that `fields` selects. */
  readonly some: TSchema;
  /** A record with every member of the microversion. */
  readonly whole: TSchema;
  /** A page of records, in part or whole. */
  readonly list: TSchema;
  /** A page of whole records. */
  readonly wholeList: TSchema;
  /** The schema of each member. */
  readonly members: Readonly<Record<string, TSchema>>;
  /** Names that `fields` may contain. */
  readonly field: TSchema;
  /** Names that `sort_key` may contain. */
  readonly sortKey: TSchema;
}

export interface RecordParts {
  /** `Node`: the name of the schema. */
  readonly title: string;
  /** Member of a list's answer that holds the records. */
  readonly collection: string;
  /** Schemas of the members, in the order of the answer; `links` is among them. */
  readonly members: Readonly<Record<string, TSchema>>;
  /** Members that a whole record has at every microversion that knows the kind. */
  readonly always: readonly string[];
  readonly sortKeys: readonly string[];
}

/** The schema of a member in answers, by kind. A masked member is null, a masked object is `{}`. */
const VIEW_SCHEMAS: Readonly<Record<FieldKind, TSchema>> = {
  string: orNull(Text),
  boolean: orNull(Type.Boolean()),
  integer: orNull(Type.Integer()),
  object: Members,
  string_list: orNull(Type.Array(Text)),
  object_list: Type.Array(Members),
  timestamp: orNull(Moment),
  uuid: orNull(Uuid),
};

export interface CatalogueView {
  readonly title: string;
  readonly collection: string;
  readonly catalogue: ResourceCatalogue;
  /** Members about which their kind says too little. */
  readonly special?: Readonly<Record<string, TSchema>>;
}

/** The page of a list: `next` is there while there is more. */
export const pageOf = (title: string, collection: string, row: TSchema): TSchema =>
  exactly(
    { [collection]: Type.Array(row), next: Type.Optional(Type.String({ format: 'uri' })) },
    title,
  );

export function recordSchemas(parts: RecordParts): RecordSchemas {
  const { title, collection, members, always, sortKeys } = parts;
  const some = exactly(
    Object.fromEntries(
      Object.entries(members).map(([name, schema]) => [
        name,
        name === 'links' ? schema : Type.Optional(schema),
      ]),
    ),
    title,
  );
  const whole = requiring(`Whole${title}`, some, always);
  return {
    some,
    whole,
    list: pageOf(`${title}List`, collection, some),
    wholeList: pageOf(`Whole${title}List`, collection, whole),
    members,
    field: named(`${title}Field`, Object.keys(members)),
    sortKey: named(`${title}SortKey`, sortKeys),
  };
}

/** The answer schemas of a kind of record follow from its catalogue. */
export function schemasOfCatalogue(view: CatalogueView): RecordSchemas {
  const { catalogue, special = {}, ...rest } = view;
  const schemaOf = (name: string): TSchema => {
    const field = catalogue.field(name);
    const schema = special[name] ?? (field === undefined ? Links : VIEW_SCHEMAS[field.kind]);
    return since(catalogue.sinceOf(name) ?? 1, schema);
  };
  return recordSchemas({
    ...rest,
    members: Object.fromEntries(catalogue.members.map((name) => [name, schemaOf(name)])),
    always: catalogue.members.filter(
      (name) => (catalogue.sinceOf(name) ?? Infinity) <= catalogue.since,
    ),
    sortKeys: ['id', ...catalogue.fields.filter((field) => field.sortable).map(({ name }) => name)],
  });
}

const requiring = (title: string, schema: TSchema, required: readonly string[]): TSchema =>
  Type.Intersect(
    [schema, Type.Object(Object.fromEntries(required.map((name) => [name, Type.Unknown()])))],
    { title },
  );

const named = (title: string, values: readonly string[]): TSchema => ({
  ...enumOf(...values),
  title,
});
