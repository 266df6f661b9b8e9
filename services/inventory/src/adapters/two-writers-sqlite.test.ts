import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { fileStores } from '../testing/empty-stores.js';
import { twoWritersContract } from '../testing/two-writers-contract.js';

let directory: string;
let files = 0;
beforeAll(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'inventory-sqlite-'));
});
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

describe('two writers in SQLite', () => {
  twoWritersContract(async () => {
    const file = path.join(directory, `${String((files += 1))}.sqlite`);
    return [await fileStores(file), await fileStores(file)];
  });
});
