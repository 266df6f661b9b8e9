import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { commandContextOn } from '../terminal/command-context.js';
import { backup } from './backup.js';

let dataDir: string;
let database: DatabaseSync;
beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'backup-'));
  database = new DatabaseSync(path.join(dataDir, 'inventory.sqlite'));
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE nodes (doc TEXT)');
});
afterEach(() => {
  database.close();
  rmSync(dataDir, { recursive: true, force: true });
});

function copy(file: string, from = dataDir): void {
  const stream = new PassThrough();
  backup(file, { dataDir: from }, commandContextOn({ env: {}, stdout: stream, stderr: stream }));
}

describe('a backup of the embedded store', () => {
  it('has what was written, and nothing of what is not yet, while others work', () => {
    database.exec("INSERT INTO nodes VALUES ('a'); BEGIN; INSERT INTO nodes VALUES ('b')");
    const file = path.join(dataDir, 'copy.sqlite');
    copy(file);
    database.exec('COMMIT');
    const other = new DatabaseSync(file);
    expect(other.prepare('SELECT doc FROM nodes').all()).toEqual([{ doc: 'a' }]);
    other.close();
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('replaces nothing, and is none where there is no store', () => {
    const file = path.join(dataDir, 'copy.sqlite');
    copy(file);
    expect(() => {
      copy(file);
    }).toThrow('exists already');
    expect(() => {
      copy(path.join(dataDir, 'other.sqlite'), path.join(dataDir, 'nowhere'));
    }).toThrow('there is no embedded store');
  });

  it('leaves nothing that could be taken for one when it fails', () => {
    const broken = mkdtempSync(path.join(dataDir, 'broken-'));
    writeFileSync(path.join(broken, 'inventory.sqlite'), 'this is no database');
    const file = path.join(dataDir, 'copy.sqlite');
    expect(() => {
      copy(file, broken);
    }).toThrow(/copy\.sqlite could not be written: .*file is not a database/u);
    expect(existsSync(file)).toBe(false);
  });
});
