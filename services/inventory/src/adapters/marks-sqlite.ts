import { randomUUID } from 'node:crypto';
import { type StoreMark } from '../domain/registered-stores.js';
import { type StoreMarks } from '../ports/store-marks.js';
import { numberIn } from './record-store-sqlite.js';
import { hasTable } from './schema-sqlite.js';
import { atomically, type SqliteConnection } from './sqlite-connection.js';

const TABLE =
  'CREATE TABLE IF NOT EXISTS store_mark (id INTEGER PRIMARY KEY CHECK (id = 1), identity TEXT NOT NULL, marker INTEGER NOT NULL)';
const RAISE =
  'INSERT INTO store_mark (id, identity, marker) VALUES (1, $identity, $by) ' +
  'ON CONFLICT (id) DO UPDATE SET marker = marker + $by RETURNING identity, marker';

/** The mark of a SQLite file, in a table of its own. */
export const createSqliteMarks = ({ database, read, write }: SqliteConnection): StoreMarks => ({
  read: () =>
    read(() =>
      hasTable(database, 'store_mark')
        ? markIn(database.prepare('SELECT identity, marker FROM store_mark').get())
        : undefined,
    ),
  advance: (by) =>
    write(() =>
      atomically(database, () => {
        database.exec(TABLE);
        const mark = markIn(database.prepare(RAISE).get({ $identity: randomUUID(), $by: by }));
        if (mark === undefined) throw new Error('the store has a mark that is none');
        return mark;
      }),
    ),
});

const markIn = (row: Readonly<Record<string, unknown>> | undefined): StoreMark | undefined =>
  typeof row?.['identity'] === 'string'
    ? { identity: row['identity'], marker: numberIn(row, 'marker') }
    : undefined;
