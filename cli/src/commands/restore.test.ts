import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Environment } from '@tenure/process';
import { commandContextOn } from '../terminal/command-context.js';
import { restore } from './restore.js';

let directory: string;
let dataDir: string;
let store: string;
let backup: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'restore-'));
  dataDir = mkdtempSync(path.join(directory, 'data-'));
  store = path.join(dataDir, 'inventory.sqlite');
  backup = path.join(directory, 'backup.sqlite');
  for (const file of [store, backup]) {
    const database = new DatabaseSync(file);
    database.exec(`CREATE TABLE nodes (doc TEXT); INSERT INTO nodes VALUES ('${file}')`);
    database.close();
  }
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

function restored(file = backup, env: Environment = {}): Promise<void> {
  const stream = new PassThrough();
  return restore(
    file,
    { dataDir, wait: '0' },
    commandContextOn({ env, stdout: stream, stderr: stream }),
  );
}

describe('a restore of the embedded store', () => {
  it('is refused while the inventory has the store open, and changes nothing', async () => {
    const inventory = new DatabaseSync(store);
    inventory.exec('PRAGMA journal_mode = WAL; SELECT * FROM nodes');
    await expect(restored()).rejects.toThrow('the inventory is running: stop it first');
    inventory.exec("INSERT INTO nodes VALUES ('later')");
    expect(inventory.prepare('SELECT count(*) AS count FROM nodes').get()).toEqual({ count: 2 });
    inventory.close();
    expect(readdirSync(dataDir)).toEqual(['inventory.sqlite']);
  });

  it.each([
    ['text', 'this is no database'],
    ['nothing', ''],
  ])('is refused when the file is %s, and changes nothing', async (_, content) => {
    const before = readFileSync(store);
    const file = path.join(directory, 'other.sqlite');
    writeFileSync(file, content);
    await expect(restored(file)).rejects.toThrow('is not a sound backup of the embedded store');
    expect(readFileSync(store)).toEqual(before);
  });

  it('is refused when there is no such file, and makes none', async () => {
    const file = path.join(directory, 'nowhere.sqlite');
    await expect(restored(file)).rejects.toThrow('there is no file');
    expect(existsSync(file)).toBe(false);
  });

  it('is refused when the store is a MongoDB', async () => {
    const env = { MONGODB_URI_FILE: '/run/secrets/mongodb-uri' };
    await expect(restored(backup, env)).rejects.toThrow('the store is a MongoDB');
    expect(readdirSync(dataDir)).toEqual(['inventory.sqlite']);
  });
});
