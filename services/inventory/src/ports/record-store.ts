import { fieldOf } from '@tenure/contracts';

/** The members of every stored record: an identity and a revision that grows with every write. */
export type StoredRecord = Readonly<{ uuid: string; revision: number }>;

export type Scalar = string | number | boolean;

/** One condition on one field; a query's conditions all have to hold. */
export type Condition =
  | { readonly field: string; readonly op: 'eq'; readonly value: Scalar }
  | { readonly field: string; readonly op: 'in'; readonly values: readonly Scalar[] }
  | { readonly field: string; readonly op: 'null' }
  | { readonly field: string; readonly op: 'not_null' }
  /** Null, or greater than the value. */
  | { readonly field: string; readonly op: 'null_or_above'; readonly value: Scalar }
  /** Not null, and not greater than the value. */
  | { readonly field: string; readonly op: 'at_most'; readonly value: Scalar }
  /** Substring, whatever the case of its letters A to Z; other letters as they are. */
  | { readonly field: string; readonly op: 'contains'; readonly value: string }
  /** The field is a list of strings and holds all of these; any list holds all of none. */
  | { readonly field: string; readonly op: 'has_all'; readonly values: readonly string[] };

/** A value of an indexed field, and further conditions on a record with that value. */
export interface Alternative {
  readonly field: string;
  readonly value: string;
  readonly and?: readonly Condition[];
}

/** At least one has to hold; null means no such restriction, an empty list matches nothing. */
export type Alternatives = readonly Alternative[] | null;

/**
 * Conditions on the parent of a record (`RecordShape.parent`). A record whose parent does not exist any more matches
 * none, not even an empty condition.
 */
export interface Through {
  readonly anyOf: Alternatives;
  readonly where: readonly Condition[];
}

export interface RecordQuery {
  readonly anyOf: Alternatives;
  /** Absent: no condition on the parent, which need not exist. */
  readonly through?: Through;
  readonly where: readonly Condition[];
  /** `field: null` is the order of creation, which also breaks every tie. Nulls come first when ascending. */
  readonly order: { readonly field: string | null; readonly descending: boolean };
  /** Only what comes after this record, given with its value of the order's field. */
  readonly after: { readonly uuid: string; readonly value: Scalar | null } | null;
  readonly limit: number;
}

/** A page of a list, which may be shorter than its limit. */
export interface PageQuery extends RecordQuery {
  /** Requested fields of each record beside its uuid, read in the store; absent: all fields. */
  readonly fields?: readonly string[];
  /** Maximum bytes of the requested fields of all rows, as they are stored; absent: unlimited. */
  readonly bytes?: number;
}

/** A record with only the requested fields. A field that the record lacks is absent here too. */
export type Projected<R extends StoredRecord> = Pick<R, 'uuid'> & Partial<R>;

export interface RecordPage<R extends StoredRecord> {
  /** At least one when any record matches, however large it is. */
  readonly rows: readonly Projected<R>[];
  /** Whether more records match: the page ended at its limit, or at its bytes. */
  readonly more: boolean;
}

const FIELD_NAME = /^[a-z][a-z0-9_]*$/u;

const HALF_PAIR = /\\ud[89a-f]/u;

/** How many records have one value of a field. */
export interface ValueCount {
  readonly value: string | null;
  readonly count: number;
}

/**
 * A unique field, or several together (`type, connector_id`), already have these values in another record. Of several
 * such fields it names one.
 */
export class DuplicateValueError extends Error {
  readonly field: string;

  constructor(field: string, options?: ErrorOptions) {
    super(`another record has the same ${field}`, options);
    this.name = 'DuplicateValueError';
    this.field = field;
  }
}

/**
 * Durable records of one kind. Every adapter passes `recordStoreContract`.
 *
 * Epochs: numbers that bind a decision or a lock to a record (`tenancy_revision`, `fence`, `revision`) must not be
 * issued again when a record is removed and made again with the same uuid, or a stale context would act on the new one.
 * So a store keeps a minimum epoch that removals raise, and a new record starts its numbers above it.
 *
 * Order of creation: a record that was acknowledged before another's insert began comes before it. A reader that pages
 * in this order, ascending, misses no record that was acknowledged before the last page was read.
 *
 * UnavailableError from a write: it may have been done. No operation repeats a write with an unknown outcome.
 */
export interface RecordStore<R extends StoredRecord> {
  /** The first in the order of creation with this text in an indexed field, or with this uuid. */
  readonly findBy: (field: string, value: string) => Promise<R | undefined>;
  readonly list: (query: RecordQuery) => Promise<readonly R[]>;
  /** As `list`, bounded in rows and bytes, with the requested fields of each record. */
  readonly page: (query: PageQuery) => Promise<RecordPage<R>>;
  /** How many records have each value of an indexed field, in the order of the values; null first. */
  readonly countBy: (field: string) => Promise<readonly ValueCount[]>;
  /**
   * @param build makes the record; `epoch` is larger than every number of a removed record
   * @throws DuplicateValueError
   */
  readonly insert: (build: (epoch: number) => R) => Promise<R>;
  /**
   * Compare and set: writes `record` only over `expectedRevision`.
   * @returns whether it was written
   * @throws DuplicateValueError
   */
  readonly swap: (record: R, expectedRevision: number) => Promise<boolean>;
  /** @param minEpoch the largest epoch number in the record */
  readonly remove: (uuid: string, expectedRevision: number, minEpoch: number) => Promise<boolean>;
  /**
   * Inserts or replaces many, each by compare and set over what `combine` was given. Records of one merge may hand
   * unique values to one another; no two have the same uuid.
   * @throws DuplicateValueError before anything is written, unless the value was taken during the merge
   */
  readonly merge: (
    incoming: readonly R[],
    combine: (existing: R | undefined, incoming: R, epoch: number) => R,
  ) => Promise<void>;
}

/** Which fields of a kind of record are looked up, and which are unique. */
export interface RecordShape {
  /** Name of the table or collection. */
  readonly name: string;
  /** Fields that queries may name, each with an index of its own. */
  readonly indexed: readonly string[];
  /** Indexed together, in this order. */
  readonly compound: readonly (readonly string[])[];
  /** Unique where not null. */
  readonly unique: readonly string[];
  /** Unique as a whole where none of them is null. */
  readonly uniqueTogether: readonly (readonly string[])[];
  /** The parent of records of this kind: this indexed field has its uuid. */
  readonly parent?: { readonly field: string; readonly shape: RecordShape };
  /** Fields that queries may name, without an index of their own. */
  readonly queried: readonly string[];
}

/** Where a list goes on behind this record. */
export const positionAfter = (
  record: StoredRecord,
  { field }: RecordQuery['order'],
): RecordQuery['after'] => ({
  uuid: record.uuid,
  value: field === null ? null : ((fieldOf(record, field) ?? null) as Scalar | null), // lists are sorted by scalars
});

/**
 * The fields of a projection, without duplicates and without the uuid, which every row has.
 * @throws Error for an invalid field name, which would become part of a statement
 */
export function projectedFields(fields: readonly string[]): readonly string[] {
  const unfit = fields.find((field) => !FIELD_NAME.test(field));
  if (unfit !== undefined) throw new Error('a projection names what is no field');
  return [...new Set(fields)].filter((field) => field !== 'uuid');
}

/**
 * The JSON text of what is stored. Half a surrogate pair in a value becomes U+FFFD, as in UTF-8: a store that kept it
 * could not find it again.
 */
export function storedJson(value: unknown): string {
  const text = JSON.stringify(value);
  return HALF_PAIR.test(text)
    ? JSON.stringify(value, (_name, member: unknown) =>
        typeof member === 'string' ? member.toWellFormed() : member,
      )
    : text;
}

/** @throws DuplicateValueError when two records of a merge have the same uuid */
export function assertOnce(incoming: readonly StoredRecord[]): void {
  if (new Set(incoming.map(({ uuid }) => uuid)).size < incoming.length)
    throw new DuplicateValueError('uuid');
}

/** Fields of a shape that are part of some index. */
export const indexedFieldsOf = ({
  indexed,
  compound,
  uniqueTogether,
}: RecordShape): readonly string[] => [
  ...new Set([...indexed, ...compound.flat(), ...uniqueTogether.flat()]),
];
