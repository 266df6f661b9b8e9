import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from '@jest/globals';
import { ALL_SHAPES } from '../ports/shapes.js';
import { PLANNED_CASES } from '../testing/planned-queries.js';
import { selectSql } from './query-sqlite.js';
import { defineTable } from './schema-sqlite.js';

const database = new DatabaseSync(':memory:');
for (const shape of ALL_SHAPES) defineTable(database, shape);

describe('the plan that SQLite makes for a list', () => {
  it.each(PLANNED_CASES)('of $title holds its index', ({ shape, query, leads }) => {
    const { sql, values } = selectSql(shape, query, 1);
    const steps = database
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...values)
      .map((row) => String(row['detail']));
    const table = new RegExp(`^(?:SCAN|SEARCH) ${shape.name}\\b`, 'u');
    const reads = steps.filter((step) => table.test(step));
    expect(reads).not.toHaveLength(0);
    // The order of creation is that of the table itself.
    const isByPlace = leads.includes('seq');
    const isServed = (read: string): boolean =>
      isByPlace
        ? /^(?:SCAN \w+|SEARCH \w+ USING INTEGER PRIMARY KEY .*)$/u.test(read)
        : leads.some((lead) => read.includes(`INDEX ${shape.name}_${lead}`));
    expect(reads.filter((read) => !isServed(read))).toEqual([]);
    const mayScan = isByPlace || query.order.field !== null;
    expect(mayScan ? [] : reads.filter((read) => read.startsWith('SCAN'))).toEqual([]);
  });
});
