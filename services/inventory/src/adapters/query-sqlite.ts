import {
  type Alternative,
  type Condition,
  indexedFieldsOf,
  type RecordQuery,
  type RecordShape,
  type Scalar,
} from '../ports/record-store.js';

export type SqlValue = string | number | null;

export interface SqlText {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** By operator: how a field is compared with one value. */
const COMPARISONS = {
  eq: (expression: string) => `${expression} = ?`,
  at_most: (expression: string) => `${expression} <= ?`,
  null_or_above: (expression: string) => `(${expression} IS NULL OR ${expression} > ?)`,
} as const;

type Comparison = Extract<Condition, { readonly op: keyof typeof COMPARISONS }>;

interface Restriction {
  readonly index: string;
  readonly part: SqlText;
}

/**
 * The statement of a query; rows have `doc`.
 * @param seq position of the record in `query.after`
 */
export function selectSql(shape: RecordShape, query: RecordQuery, seq: number): SqlText {
  const { sql, values } = placesSql(shape, query, seq);
  return {
    sql: `SELECT t.doc AS doc FROM ${sql} CROSS JOIN "${shape.name}" AS t ON t.seq = page.seq ${inOrder(query)}`,
    values: [...values, query.limit],
  };
}

/**
 * The statement that selects a page; rows have `seq`. No document is read before the page's rows are selected.
 * @param seq position of the record in `query.after`
 */
export function seqSql(shape: RecordShape, query: RecordQuery, seq: number): SqlText {
  const { sql, values } = placesSql(shape, query, seq);
  return {
    sql: `SELECT page.seq AS seq FROM ${sql} ${inOrder(query)}`,
    values: [...values, query.limit],
  };
}

/**
 * The statement that reads one row by its `seq`; the row has `doc`. `->` returns an SQL NULL for a field that the document
 * lacks, and JSON text for a null in the document.
 * @param fields names that `projectedFields` accepted; undefined reads the whole document
 */
export function rowSql(shape: RecordShape, fields: readonly string[] | undefined): string {
  const members = fields?.map((field) => ` || ifnull(',"${field}":' || (doc -> '$.${field}'), '')`);
  const wanted =
    members === undefined ? 'doc' : `'{"uuid":' || (doc -> '$.uuid')${members.join('')} || '}'`;
  return `SELECT ${wanted} AS doc FROM "${shape.name}" WHERE seq = ?`;
}

/**
 * Selects rows by their position (`seq`) and the value of the order (`k`).
 * Alternatives become a UNION of branches, each forced onto the index of its own field: an OR, or a planner without
 * statistics, would scan the whole fleet, and a project's list must cost the same in a fleet of any size.
 */
function placesSql(shape: RecordShape, query: RecordQuery, seq: number): SqlText {
  const alternatives: readonly (Alternative | null)[] = query.anyOf ?? [null];
  const branches = alternatives.map((alternative) => branchSql(shape, query, seq, alternative));
  return {
    sql: `(${branches.map(({ sql }) => `SELECT * FROM (${sql})`).join(' UNION ')}) AS page`,
    values: branches.flatMap(({ values }) => values),
  };
}

function inOrder({ order }: RecordQuery): string {
  const direction = order.descending ? 'DESC' : 'ASC';
  return `ORDER BY page.k ${direction}, page.seq ${direction} LIMIT ?`;
}

function branchSql(
  shape: RecordShape,
  query: RecordQuery,
  seq: number,
  alternative: Alternative | null,
): SqlText {
  const through = throughSql(shape, query);
  const index = alternative === null ? (through?.index ?? '') : indexHint(shape, alternative.field);
  const key = query.order.field === null ? null : expressionOf(shape, query.order.field);
  const parts = [
    ...alternativeSql(shape, alternative),
    through?.part,
    ...query.where.map((condition) => conditionSql(shape, condition, key !== null)),
    afterSql(key, query, seq),
  ].filter((part) => part !== undefined);
  const direction = query.order.descending ? 'DESC' : 'ASC';
  const order = key === null ? `seq ${direction}` : `k ${direction}, seq ${direction}`;
  return {
    sql: `SELECT seq, ${key ?? 'NULL'} AS k FROM "${shape.name}"${index}${conjunction(parts)} ORDER BY ${order} LIMIT ?`,
    values: [...parts.flatMap(({ values }) => values), query.limit],
  };
}

/** Records are found by the index on their parent, from the parents that match: the rest of the fleet costs nothing. */
function throughSql(shape: RecordShape, { through }: RecordQuery): Restriction | undefined {
  if (through === undefined) return undefined;
  if (shape.parent === undefined) throw new Error(`${shape.name} hangs on nothing`);
  const { field, shape: parent } = shape.parent;
  const alternatives: readonly (Alternative | null)[] = through.anyOf ?? [null];
  const branches = alternatives.map((one) => parentBranch(parent, through.where, one));
  return {
    index: indexHint(shape, field),
    part: {
      sql: `"${field}" IN (${branches.map(({ sql }) => sql).join(' UNION ')})`,
      values: branches.flatMap(({ values }) => values),
    },
  };
}

function indexHint(shape: RecordShape, field: string): string {
  if (!shape.indexed.includes(field)) throw new Error(`${shape.name} has no index on ${field}`);
  return ` INDEXED BY "${shape.name}_${field}"`;
}

/** Quoted column or JSON expression of a field. Only fields that the shape declares ever reach SQL. */
function expressionOf(shape: RecordShape, field: string): string {
  if (field === 'uuid' || indexedFieldsOf(shape).includes(field)) return `"${field}"`;
  if (shape.queried.includes(field)) return `(doc ->> '$.${field}')`;
  throw new Error(`${shape.name} cannot be queried by ${field}`);
}

const alternativeSql = (shape: RecordShape, alternative: Alternative | null): readonly SqlText[] =>
  alternative === null
    ? []
    : [
        { sql: `"${alternative.field}" = ?`, values: [alternative.value] },
        ...(alternative.and ?? []).map((condition) => conditionSql(shape, condition)),
      ];

// The plus keeps SQLite from the index on the field: nearly every record is null there, and all of them would be read and
// sorted where a walk along the index of the order finds a page at once.
function conditionSql(shape: RecordShape, condition: Condition, isSorted = false): SqlText {
  const expression = expressionOf(shape, condition.field);
  if (isComparison(condition))
    return { sql: COMPARISONS[condition.op](expression), values: [bound(condition.value)] };
  switch (condition.op) {
    case 'in':
      return {
        sql: `${expression} IN (${marks(condition.values.length)})`,
        values: condition.values.map(bound),
      };
    case 'null':
      return { sql: `${isSorted ? '+' : ''}${expression} IS NULL`, values: [] };
    case 'not_null':
      return { sql: `${expression} IS NOT NULL`, values: [] };
    case 'contains':
      return { sql: `instr(lower(${expression}), lower(?)) > 0`, values: [condition.value] };
    case 'has_all':
      return {
        sql: `(json_type(doc, '$.${condition.field}') = 'array' AND NOT EXISTS (SELECT 1 FROM json_each(?) AS wanted WHERE wanted.value NOT IN (SELECT value FROM json_each(doc, '$.${condition.field}'))))`,
        values: [JSON.stringify(condition.values)],
      };
  }
}

/** The keyset condition of a page after a record. SQLite puts nulls first when ascending, last when descending. */
function afterSql(key: string | null, query: RecordQuery, seq: number): SqlText | undefined {
  if (query.after === null) return undefined;
  const compare = query.order.descending ? '<' : '>';
  if (key === null) return { sql: `seq ${compare} ?`, values: [seq] };
  if (query.after.value === null)
    return query.order.descending
      ? { sql: `(${key} IS NULL AND seq < ?)`, values: [seq] }
      : { sql: `(${key} IS NOT NULL OR seq > ?)`, values: [seq] };
  const value = bound(query.after.value);
  const beyondNull = query.order.descending ? ` OR ${key} IS NULL` : '';
  return {
    sql: `(${key} ${compare} ? OR (${key} = ? AND seq ${compare} ?)${beyondNull})`,
    values: [value, value, seq],
  };
}

const conjunction = (parts: readonly SqlText[]): string =>
  parts.length === 0 ? '' : ` WHERE ${parts.map(({ sql }) => sql).join(' AND ')}`;

function parentBranch(
  shape: RecordShape,
  where: readonly Condition[],
  alternative: Alternative | null,
): SqlText {
  const parts = [
    ...alternativeSql(shape, alternative),
    ...where.map((condition) => conditionSql(shape, condition)),
  ];
  const index = alternative === null ? '' : indexHint(shape, alternative.field);
  return {
    sql: `SELECT uuid FROM "${shape.name}"${index}${conjunction(parts)}`,
    values: parts.flatMap(({ values }) => values),
  };
}

const isComparison = (condition: Condition): condition is Comparison =>
  Object.hasOwn(COMPARISONS, condition.op);

const bound = (value: Scalar): SqlValue => (typeof value === 'boolean' ? Number(value) : value);

const marks = (count: number): string => Array.from({ length: count }, () => '?').join(', ');
