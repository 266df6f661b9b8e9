import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Db, MongoClient, MongoServerError, type Sort } from 'mongodb';
import { indexesOf } from '../src/adapters/indexes-mongo.js';
import { filterOf, type MongoDocument, sortOf } from '../src/adapters/query-mongo.js';
import { defineIndexes } from '../src/adapters/schema-mongo.js';
import { ALL_SHAPES } from '../src/ports/shapes.js';
import { PLANNED_CASES } from '../src/testing/planned-queries.js';

const uri = process.env['TENURE_TEST_MONGODB_URI'];
if (uri === undefined) throw new Error('TENURE_TEST_MONGODB_URI is not set');

let client: MongoClient;
let database: Db;
beforeAll(async () => {
  client = await MongoClient.connect(uri);
  database = client.db(`tenure_${randomUUID().replaceAll('-', '')}`);
  await defineIndexes(database, ALL_SHAPES);
});
afterAll(() => client.close());

type Clause = Readonly<Record<string, unknown>>;

const isClauses = (value: unknown): value is readonly Clause[] => Array.isArray(value);

/** Fields on which a filter can enter an index: those of a conjunct, or of every branch of an alternative. */
const entries = (filter: Clause): readonly string[] =>
  Object.entries(filter).flatMap(([name, value]): readonly string[] => {
    if (!isClauses(value)) return [name];
    const each = value.map(entries);
    if (name === '$and') return each.flat();
    return each.every((fields) => fields.length > 0) ? each.flat() : [];
  });

/** The plan of a server that explains; undefined: the stand-in, which does not. */
async function planOf(name: string, filter: object, sort: Sort): Promise<string | undefined> {
  try {
    const cursor = database.collection<MongoDocument>(name).find(filter).sort(sort);
    const { queryPlanner }: Clause = await cursor.explain('queryPlanner');
    return queryPlanner === undefined ? undefined : JSON.stringify(queryPlanner);
  } catch (error) {
    if (error instanceof MongoServerError) return undefined;
    throw error;
  }
}

describe('the plan that MongoDB makes for a list', () => {
  it.each(PLANNED_CASES)('of $title holds its index', async ({ shape, query, leads }) => {
    const filter = filterOf(shape, query, { seq: 1, parents: ['x'], upTo: Infinity });
    const sort = sortOf(shape, query);
    const plan = await planOf(shape.name, filter, sort);
    const isIndexed = plan?.includes('IXSCAN') !== false && plan?.includes('COLLSCAN') !== true;
    expect(isIndexed).toBe(true);
    // And by what is declared: the filter or the order enters an index that begins with its field.
    const entered = [...entries(filter), ...Object.keys(sort).slice(0, 1)];
    for (const lead of leads) expect(entered).toContain(lead);
    for (const lead of leads)
      expect(indexesOf(shape).map(({ fields: [first] }) => first)).toContain(lead);
  });
});
