import { DatabaseSync } from 'node:sqlite';
import { createSqliteRecordStore } from '../../adapters/record-store-sqlite.js';
import { defineTable } from '../../adapters/schema-sqlite.js';
import { connectionTo } from '../../adapters/sqlite-connection.js';
import { type HistoryStores } from './run-history.js';
import { HISTORY_SHAPES } from './shapes.js';

/** Empty stores of a history's records in memory. */
export function sqliteHistoryStores(): HistoryStores {
  const database = new DatabaseSync(':memory:');
  for (const shape of Object.values(HISTORY_SHAPES)) defineTable(database, shape);
  const connection = connectionTo(database);
  return {
    items: createSqliteRecordStore(connection, HISTORY_SHAPES.items),
    parents: createSqliteRecordStore(connection, HISTORY_SHAPES.parents),
  };
}
