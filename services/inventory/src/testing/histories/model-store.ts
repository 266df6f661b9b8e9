import { fieldOf } from '@tenure/contracts';
import {
  assertOnce,
  type Condition,
  DuplicateValueError,
  indexedFieldsOf,
  type PageQuery,
  projectedFields,
  type RecordQuery,
  type RecordShape,
  type RecordStore,
  type Scalar,
  storedJson,
  type Through,
} from '../../ports/record-store.js';
import { type HistoryRecord } from './shapes.js';

/** Thrown with every field of which one may be named. */
export class ModelDuplicateError extends DuplicateValueError {
  readonly fields: readonly string[];

  constructor(fields: readonly string[]) {
    super(fields.join(' or '));
    this.fields = fields;
  }
}

interface Placed {
  readonly seq: number;
  readonly record: HistoryRecord;
}

export type Model = RecordStore<HistoryRecord>;

const RANKS: Readonly<Record<string, number>> = { object: 0, boolean: 1, number: 2, string: 3 };

const stored = (value: Scalar): Scalar =>
  typeof value === 'string' ? value.toWellFormed() : value;
const folded = (text: string): string =>
  text.replaceAll(/[A-Z]/gu, (letter) => letter.toLowerCase());

type Test = (value: unknown, condition: Condition) => boolean;

const oneOf = (condition: Condition): Scalar | undefined =>
  'value' in condition ? stored(condition.value) : undefined;
const severalOf = (condition: Condition): readonly Scalar[] =>
  'values' in condition ? condition.values.map(stored) : [];

const TESTS: Readonly<Record<Condition['op'], Test>> = {
  eq: (value, condition) => value === oneOf(condition),
  in: (value, condition) => severalOf(condition).some((one) => value === one),
  null: (value) => value === null,
  not_null: (value) => value !== null,
  null_or_above: (value, condition) => value === null || compare(value, oneOf(condition)) > 0,
  at_most: (value, condition) => value !== null && compare(value, oneOf(condition)) <= 0,
  contains: (value, condition) =>
    typeof value === 'string' && folded(value).includes(folded(String(oneOf(condition)))),
  has_all: (value, condition) =>
    Array.isArray(value) && severalOf(condition).every((one) => value.includes(one)),
};

const WHOLE = { order: { field: null, descending: false }, after: null, limit: 1000 } as const;

/* eslint-disable max-lines-per-function -- one store, whose operations share its rows */
/** The simplest model of a store of records. */
export function createModel(shape: RecordShape, parents?: Model): Model {
  const rows = new Map<string, Placed>();
  let minEpoch = 0;
  let places = 0;
  const keep = (record: HistoryRecord, seq = (places += 1)): void => {
    rows.set(record.uuid, { seq, record: JSON.parse(storedJson(record)) as HistoryRecord });
  };
  const write = (records: readonly HistoryRecord[], fresh: readonly string[] = []): void => {
    const next = new Map([...rows.values()].map(({ record }) => [record.uuid, record]));
    const taken = fresh.filter((uuid) => next.has(uuid));
    const beside = taken.flatMap((uuid) => next.get(uuid) ?? []);
    for (const record of records)
      next.set(record.uuid, JSON.parse(storedJson(record)) as HistoryRecord);
    const clashes = [
      ...taken.map(() => 'uuid'),
      ...clashesIn(shape, [...next.values(), ...beside]),
    ];
    if (clashes.length > 0) throw new ModelDuplicateError(clashes);
    for (const record of records) keep(record, rows.get(record.uuid)?.seq);
  };
  const all = async (query: RecordQuery): Promise<readonly HistoryRecord[]> => {
    const { through, after } = query;
    const parentRows = (through && (await parents?.list({ ...WHOLE, ...through }))) ?? [];
    const found = [...rows.values()]
      .filter(({ record }) => matches(record, query))
      .filter(
        ({ record }) =>
          through === undefined ||
          parentRows.some(({ uuid }) => uuid === valueOf(record, 'parent_uuid')),
      );
    const rowsInOrder = found.sort(compareRows(query));
    if (after === null) return rowsInOrder.map(({ record }) => record);
    const seq = rows.get(after.uuid)?.seq ?? 0;
    const value = after.value === null ? null : stored(after.value);
    const marker = {
      seq,
      record: { uuid: after.uuid, revision: 0, [query.order.field ?? 'uuid']: value },
    };
    return rowsInOrder
      .filter((row) => compareRows(query)(row, marker) > 0)
      .map(({ record }) => record);
  };
  return {
    findBy: async (field, value) => {
      assertIndexed(shape, field, ['uuid', ...indexedFieldsOf(shape)]);
      const found = [...rows.values()].sort((one, other) => one.seq - other.seq);
      return Promise.resolve(
        found.find(({ record }) => fieldOf(record, field) === value.toWellFormed())?.record,
      );
    },
    list: async (query) => (await all(query)).slice(0, query.limit),
    page: async (query: PageQuery) => {
      const found = await all(query);
      const named = query.fields && ['uuid', ...projectedFields(query.fields)];
      const limited = found.slice(0, query.limit);
      return {
        rows: limited.map((record) =>
          named === undefined
            ? record
            : (Object.fromEntries(
                named
                  .filter((name) => Object.hasOwn(record, name))
                  .map((name) => [name, fieldOf(record, name)]),
              ) as HistoryRecord),
        ),
        more: found.length > limited.length,
      };
    },
    countBy: async (field) => {
      assertIndexed(shape, field, shape.indexed);
      const values = [...rows.values()].map(
        ({ record }) => valueOf(record, field) as string | null,
      );
      const counts = [...new Set(values)]
        .sort(compare)
        .map((value) => ({ value, count: values.filter((one) => one === value).length }));
      return Promise.resolve(counts);
    },
    insert: async (build) => {
      const record = build(minEpoch + 1);
      write([record], [record.uuid]);
      return Promise.resolve(record);
    },
    swap: async (record, expected) => {
      if (rows.get(record.uuid)?.record.revision !== expected) return Promise.resolve(false);
      write([record]);
      return true;
    },
    remove: async (uuid, expected, above) => {
      if (rows.get(uuid)?.record.revision !== expected) return Promise.resolve(false);
      minEpoch = Math.max(minEpoch, above);
      return rows.delete(uuid);
    },
    merge: async (incoming, combine) => {
      await Promise.resolve();
      assertOnce(incoming);
      write(incoming.map((record) => combine(rows.get(record.uuid)?.record, record, minEpoch + 1)));
    },
  };
}

/** Nulls first, then by value; texts by their bytes. */
function compare(one: unknown, other: unknown): number {
  if (typeof one !== typeof other) return (RANKS[typeof one] ?? 0) - (RANKS[typeof other] ?? 0);
  if (typeof one === 'string' && typeof other === 'string')
    return Buffer.compare(Buffer.from(one), Buffer.from(other));
  return Number(one) - Number(other);
}

/** Groups of fields of which two records have the same values. */
const clashesIn = (shape: RecordShape, records: readonly HistoryRecord[]): readonly string[] =>
  uniqueFieldsOf(shape)
    .filter((fields) => {
      const keys = records
        .map((record) => keyOf(record, fields))
        .filter((key) => key !== undefined);
      return new Set(keys).size < keys.length;
    })
    .map((fields) => fields.join(', '));

const matches = (record: HistoryRecord, { anyOf, where }: Through): boolean =>
  where.every((condition) => holds(record, condition)) &&
  (anyOf === null ||
    anyOf.some(
      ({ field, value, and = [] }) =>
        valueOf(record, field) === value.toWellFormed() &&
        and.every((condition) => holds(record, condition)),
    ));

const valueOf = (record: HistoryRecord, field: string): unknown => fieldOf(record, field) ?? null;

const compareRows =
  ({ order }: RecordQuery) =>
  (one: Placed, other: Placed): number => {
    const { field } = order;
    const byField =
      field === null ? 0 : compare(valueOf(one.record, field), valueOf(other.record, field));
    const ascending = byField === 0 ? one.seq - other.seq : byField;
    return order.descending ? -ascending : ascending;
  };

function assertIndexed(shape: RecordShape, field: string, fields: readonly string[]): void {
  if (!fields.includes(field)) throw new Error(`${shape.name} has no index on ${field}`);
}

const uniqueFieldsOf = ({ unique, uniqueTogether }: RecordShape) => [
  ...unique.map((field) => [field]),
  ...uniqueTogether,
];

/** The value that may not come twice, as text; undefined: it may. */
function keyOf(record: HistoryRecord, fields: readonly string[]): string | undefined {
  const values = fields.map((field) => valueOf(record, field));
  return values.includes(null) ? undefined : JSON.stringify(values);
}

const holds = (record: HistoryRecord, condition: Condition): boolean =>
  TESTS[condition.op](valueOf(record, condition.field), condition);
/* eslint-enable max-lines-per-function -- the store ends here */
