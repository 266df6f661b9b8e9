import { describe, expect, it } from '@jest/globals';
import { seedThrough } from './seed.js';

function inventoryWith(rows: readonly object[]) {
  const calls: string[] = [];
  return {
    calls,
    call: (method: string, target: string) => {
      calls.push(`${method} ${target}`);
      return Promise.resolve(method === 'GET' ? { rows } : {});
    },
  };
}

describe('the demo fleet', () => {
  it('is loaded into an inventory without nodes', async () => {
    const inventory = inventoryWith([]);
    expect(await seedThrough(inventory)).toBe('seeded with 5 demo nodes');
    expect(inventory.calls).toEqual([
      'GET /internal/export?section=nodes&limit=1',
      'POST /internal/import',
      'POST /internal/import',
      'POST /internal/import',
    ]);
  });

  it('is not loaded where there are nodes', async () => {
    const inventory = inventoryWith([{ uuid: '00000000-0000-4000-8000-000000000001' }]);
    expect(await seedThrough(inventory)).toBe('kept as it was');
    expect(inventory.calls).toEqual(['GET /internal/export?section=nodes&limit=1']);
  });
});
