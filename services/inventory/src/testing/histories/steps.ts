import fc from 'fast-check';
import { type Condition, type PageQuery } from '../../ports/record-store.js';
import { uuidOf } from '../fixtures.js';
import { HISTORY_SHAPES, type Kind } from './shapes.js';

type Values = Readonly<Record<string, unknown>>;

interface Item {
  readonly uuid: string;
  readonly values: Values;
}

/** A query whose marker is still to be looked up: the record with this uuid, at its value in the order. */
export type QueryStep = Omit<PageQuery, 'after'> & { readonly marker: string | null };

export type Step = { readonly kind: Kind } & (
  | { readonly op: 'insert'; readonly item: Item }
  | { readonly op: 'swap'; readonly item: Item; readonly isStale: boolean }
  | { readonly op: 'remove'; readonly uuid: string; readonly isStale: boolean }
  | { readonly op: 'merge'; readonly items: readonly Item[]; readonly keeps: boolean }
  | { readonly op: 'findBy'; readonly field: string; readonly value: string }
  | { readonly op: 'list' | 'page' | 'walk'; readonly query: QueryStep }
  | { readonly op: 'countBy'; readonly field: string }
);

const uuids = fc.integer({ min: 1, max: 6 }).map(uuidOf);

const TEXTS = [
  ...[
    'a',
    'A',
    'b',
    'ab',
    'aB',
    '',
    ' ',
    '0',
    '1',
    '01',
    '-5',
    '1e3',
    'null',
    'true',
    'É',
    'é',
    'ß',
  ],
  ...[
    '$where',
    'a.b',
    '"q"',
    "it's",
    '\\',
    '%',
    '_',
    '.*',
    '[a]',
    '😀',
    'a\u0301',
    '\ud800',
    'x\udfff',
  ],
  'a\u0000b',
  '\u0000',
  ...['a"} dup key: { unique_address: "=b', 'unique_owner_slot', 'index: unique_address_1'],
] as const;
const texts = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a', 'b', 'c') },
  { weight: 3, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 1, arbitrary: fc.string({ maxLength: 4 }) },
);
const numbers = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom(2 ** 31, -(2 ** 31) - 1, 1e15, -1e15, 2 ** 53, -(2 ** 53) + 1),
);
const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.option(arbitrary, { freq: 3 });

const names = fc.oneof(
  fc.constantFrom('a', '', 'a.b', '$set', '$', '.', '__proto__', 'constructor', 'é', '\ud800', '0'),
  fc.string({ maxLength: 3 }),
);
/** Whatever JSON can be. */
const nested = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom(null, true, 0, '', [], {}, -0, 1e300, 5e-324, 0.1, 2 ** 64, '\ud800', '1'),
    texts,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc
      .array(fc.tuple(names, tie('value')), { maxLength: 3 })
      .map((entries): unknown => Object.fromEntries(entries)),
  ),
})).value;

const VALUES = {
  name: optional(texts),
  address: optional(fc.constantFrom('a', 'b', 'unique_name', '=a')),
  owner: optional(texts),
  slot: optional(fc.integer({ min: 0, max: 1 })),
  state: fc.constantFrom('new', 'done'),
  parent_uuid: optional(uuids),
  flag: optional(fc.boolean()),
  note: optional(texts),
  level: optional(numbers),
  tags: optional(fc.uniqueArray(texts, { maxLength: 3 })),
  // No query names these.
  extra: nested,
  info: nested,
  seq: nested,
  nested,
  unique_name: nested,
  __proto_: nested,
} as const;

const items: fc.Arbitrary<Item> = fc.record({
  uuid: uuids,
  // Any of the fields may be absent.
  values: fc.record(VALUES, { requiredKeys: [] }),
});

const comparisons = (field: string, values: fc.Arbitrary<string | number>) =>
  fc.oneof(
    fc.record({
      field: fc.constant(field),
      op: fc.constantFrom('eq', 'null_or_above', 'at_most'),
      value: values,
    }),
    fc.record({
      field: fc.constant(field),
      op: fc.constant('in'),
      values: fc.array(values, { maxLength: 3 }),
    }),
    fc.record({ field: fc.constant(field), op: fc.constantFrom('null', 'not_null') }),
  );

const byText = fc
  .constantFrom('name', 'address', 'owner', 'state', 'note')
  .chain((field) => comparisons(field, texts));
const contains = fc.record({
  field: fc.constantFrom('name', 'note'),
  op: fc.constant('contains'),
  value: texts,
});
const byFlag = fc.oneof(
  fc.record({ field: fc.constant('flag'), op: fc.constant('eq'), value: fc.boolean() }),
  fc.record({ field: fc.constant('flag'), op: fc.constantFrom('null', 'not_null') }),
);
const byTags = fc.record({
  field: fc.constant('tags'),
  op: fc.constant('has_all'),
  values: fc.array(texts, { maxLength: 2 }),
});
const byUuid = fc.record({
  field: fc.constant('uuid'),
  op: fc.constant('in'),
  values: fc.array(uuids, { maxLength: 3 }),
});

/** Histories of two kinds of record, one of which hangs on the other. */
export const histories = (): fc.Arbitrary<readonly Step[]> =>
  fc.array(
    fc.oneof(
      { weight: 3, arbitrary: stepsOf('items') },
      { weight: 1, arbitrary: stepsOf('parents') },
    ),
    { maxLength: 30, size: 'max' },
  );

function stepsOf(kind: Kind): fc.Arbitrary<Step> {
  const step = { kind: fc.constant(kind) };
  const isStale = fc.boolean();
  return fc.oneof(
    { weight: 6, arbitrary: fc.record({ ...step, op: fc.constant('insert'), item: items }) },
    { weight: 4, arbitrary: fc.record({ ...step, op: fc.constant('swap'), item: items, isStale }) },
    {
      weight: 2,
      arbitrary: fc.record({ ...step, op: fc.constant('remove'), uuid: uuids, isStale }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        ...step,
        op: fc.constant('merge'),
        items: fc.array(items, { maxLength: 4 }),
        keeps: fc.boolean(),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        ...step,
        op: fc.constant('findBy'),
        field: fc.constantFrom('uuid', 'name', 'owner', 'note', 'extra'),
        value: fc.oneof(texts, uuids),
      }),
    },
    {
      weight: 8,
      arbitrary: fc.record({
        ...step,
        op: fc.constantFrom('list', 'page', 'walk'),
        query: queries(kind),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        ...step,
        op: fc.constant('countBy'),
        field: fc.constantFrom('name', 'owner', 'note'),
      }),
    },
  ); // the unions of their literals
}

const queries = (kind: Kind): fc.Arbitrary<QueryStep> =>
  fc.record(
    {
      anyOf: anyOf(kind),
      where: fewConditions(kind),
      order: orders(kind),
      marker: fc.option(uuids, { freq: 1 }),
      limit: fc.oneof(fc.integer({ min: 0, max: 4 }), fc.constant(1000)),
      ...(kind === 'items' && {
        through: fc.record({ anyOf: anyOf('parents'), where: fewConditions('parents') }),
      }),
      fields: fc.array(
        fc.constantFrom('name', 'revision', 'uuid', 'extra', 'flag', 'tags', 'level', 'absent'),
        { maxLength: 3 },
      ),
      bytes: fc.constantFrom(1, 200, 1000),
    },
    { requiredKeys: ['anyOf', 'where', 'order', 'marker', 'limit'] },
  ); // `fields` lacks no value where it is present

const anyOf = (kind: Kind) =>
  fc.option(
    fc.array(
      fc.record(
        {
          field: fc.constantFrom('name', 'owner'),
          value: texts,
          and: fc.array(conditionsOf(kind), { maxLength: 1 }),
        },
        { requiredKeys: ['field', 'value'] },
      ),
      { maxLength: 3 },
    ),
    { freq: 1 },
  );

const fewConditions = (kind: Kind) => fc.array(conditionsOf(kind), { maxLength: 2 });

const orders = (kind: Kind) =>
  fc.record({
    field: fc.option(fc.constantFrom(...fieldsOf(kind).filter((field) => field !== 'tags')), {
      freq: 2,
    }),
    descending: fc.boolean(),
  });

const conditionsOf = (kind: Kind): fc.Arbitrary<Condition> =>
  fc
    .oneof(byText, contains, byFlag, byTags, byUuid, comparisons('level', numbers))
    // the unions of their literals
    .map((condition) => condition as Condition)
    .filter(({ field }) => field === 'uuid' || fieldsOf(kind).includes(field));

function fieldsOf(kind: Kind): readonly string[] {
  const { indexed, queried } = HISTORY_SHAPES[kind];
  return [...indexed, ...queried];
}
