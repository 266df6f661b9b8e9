import { readFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** What `tests/support/store-fixture/make.mjs` kept of a small fleet in the store of the release before. */
const FOLDER = path.join(
  import.meta.dirname,
  ...['..', '..', '..', '..', 'tests', 'fixtures', 'store-1'],
);

type Row = Readonly<Record<string, unknown>>;

/** The fleet as the previous release returned it. */
export interface ExpectedFleet {
  /** Rows of `/internal/export`. */
  readonly sections: Readonly<Record<string, readonly Row[]>>;
  /** The numbers that bind decisions and locks, by node. */
  readonly numbers: Readonly<Record<string, Row>>;
}

interface SqliteLine {
  readonly sql?: string;
  readonly table?: string;
  readonly row?: Readonly<Record<string, string | number | null>>;
}

/** One line of what was in MongoDB: an index, or a document. */
export interface MongoLine {
  readonly collection: string;
  readonly index?: Readonly<Record<string, 1>>;
  readonly unique?: boolean;
  readonly document?: Row & { readonly _id: string };
}

export function expectedFleet(kind: 'sqlite' | 'mongodb'): ExpectedFleet {
  const text = readFileSync(path.join(FOLDER, 'expected.json'), 'utf8');
  const both = JSON.parse(text) as Readonly<Record<typeof kind, ExpectedFleet>>; // written by the script
  return both[kind];
}

/** Makes the SQLite file as it was left. */
export function restoreSqlite(file: string): void {
  const database = new DatabaseSync(file);
  for (const { sql, table, row } of linesOf('sqlite.jsonl') as readonly SqliteLine[]) {
    if (sql !== undefined) database.exec(sql);
    if (table === undefined || row === undefined) continue;
    // Inserting the rows has counted already, but not what was deleted again.
    if (table === 'sqlite_sequence')
      database.prepare('DELETE FROM sqlite_sequence WHERE name = ?').run(row['name'] ?? null);
    const columns = Object.keys(row);
    database
      .prepare(
        `INSERT INTO "${table}" (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
      )
      .run(...Object.values(row));
  }
  database.close();
}

/** The documents that were in MongoDB. */
export const mongoLines = (): readonly MongoLine[] =>
  linesOf('mongodb.jsonl') as unknown as readonly MongoLine[]; // written by the script

const linesOf = (name: string): readonly Row[] =>
  readFileSync(path.join(FOLDER, name), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Row); // likewise
