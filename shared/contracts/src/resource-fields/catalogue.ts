/** What a field of a record holds. Whatever the kind, null stands for "not set" where `initial` is null. */
export type FieldKind =
  | 'string'
  | 'boolean'
  | 'integer'
  | 'object'
  | 'string_list'
  | 'object_list'
  | 'timestamp'
  | 'uuid';

/** One field of a kind of record. Who may see or write it is the policy's business, not this table's. */
export interface ResourceField {
  readonly name: string;
  readonly kind: FieldKind;
  /** First microversion (minor) that shows it. */
  readonly since: number;
  /** Value of a record on which it was never set. */
  readonly initial: null | boolean | string | Readonly<Record<string, never>> | readonly never[];
  /** May appear in POST and PATCH bodies. */
  readonly writable: boolean;
  /** May be a `sort_key`. */
  readonly sortable: boolean;
  /** A POST without it is refused. */
  readonly required: boolean;
}

/** `flags`: w = writable by POST and PATCH, s = sortable, r = required by POST. */
export type FieldShape = readonly [
  name: string,
  kind: FieldKind,
  since: number,
  flags?: string,
  initial?: ResourceField['initial'],
];

const EMPTY_OBJECT = {} as const;
const EMPTY_LIST: readonly never[] = [];

const initialOf = (kind: FieldKind): ResourceField['initial'] => {
  if (kind === 'boolean') return false;
  if (kind === 'object') return EMPTY_OBJECT;
  if (kind === 'string_list' || kind === 'object_list') return EMPTY_LIST;
  return null;
};

/** The fields that shapes describe, in their order. */
export const fieldsFrom = (shapes: readonly FieldShape[]): readonly ResourceField[] =>
  shapes.map(([name, kind, since, flags = '', initial]) => ({
    name,
    kind,
    since,
    initial: initial === undefined ? initialOf(kind) : initial,
    writable: flags.includes('w'),
    sortable: flags.includes('s'),
    required: flags.includes('r'),
  }));

/** Everything about a kind of record that its wire form needs. */
export interface ResourceCatalogue {
  readonly fields: readonly ResourceField[];
  readonly field: (name: string) => ResourceField | undefined;
  /** Members that are made and not stored, and the microversion that brought each. */
  readonly linkMembers: Readonly<Record<string, number>>;
  /** Members of a list without `detail` or `fields`; `links` come with every record. */
  readonly listFields: readonly string[];
  /** Members of a whole record in the order in which they are shown. */
  readonly members: readonly string[];
  /** First microversion (minor) of a member, or undefined when there is no such member. */
  readonly sinceOf: (member: string) => number | undefined;
}

/** What a catalogue is made from. */
export interface CatalogueParts {
  readonly fields: readonly ResourceField[];
  readonly linkMembers: Readonly<Record<string, number>>;
  readonly listFields: readonly string[];
  /** Members that stand behind the links, in their order; `links` is the first of them. */
  readonly tail: readonly string[];
}

export const catalogueOf = ({
  fields,
  linkMembers,
  listFields,
  tail,
}: CatalogueParts): ResourceCatalogue => {
  const byName = new Map(fields.map((field) => [field.name, field]));
  return {
    fields,
    field: (name) => byName.get(name),
    linkMembers,
    listFields,
    members: [...fields.map(({ name }) => name).filter((name) => !tail.includes(name)), ...tail],
    sinceOf: (member) =>
      byName.get(member)?.since ??
      (Object.hasOwn(linkMembers, member) ? linkMembers[member] : undefined),
  };
};
