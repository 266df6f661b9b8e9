import { describe, expect, it } from '@jest/globals';
import { compareHistories } from '../testing/histories-contract.js';
import { sqliteHistoryStores } from '../testing/histories/sqlite-histories.js';

describe('histories of records in SQLite', () => {
  it('get the answers that the model gives, step by step', async () => {
    const compared = compareHistories(() => Promise.resolve({ sqlite: sqliteHistoryStores() }), {
      runs: 300,
    });
    await expect(compared).resolves.toBeUndefined();
  }, 120_000);
});
