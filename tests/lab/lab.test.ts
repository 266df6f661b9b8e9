import { env } from 'node:process';
import { describe, expect, it } from '@jest/globals';
import { describeFault } from './fault.js';
import { runLab } from './run.js';

// A short run on each store. Longer ones, and what to do when one fails: docs/lab.md.

const SEED = Number(env['SEED'] ?? '18');
const MINUTES = Number(env['MINUTES'] ?? '1');

describe.each(['sqlite', 'mongodb'] as const)('on %s', (store) => {
  it('nothing that was acknowledged is lost, done twice or left undone, whatever fails', async () => {
    const { violations, plan, entries } = await runLab({
      seed: SEED,
      store,
      durationMs: MINUTES * 60_000,
    });
    const again = `make lab SEED=${String(SEED)} MINUTES=${String(MINUTES)} STORE=${store}`;
    const details = violations.length === 0 ? [] : [again, ...plan.map(describeFault)];
    expect([...violations, ...details]).toEqual([]);
    // A run in which nothing was done shows nothing.
    const done = entries.filter((entry) => entry.kind === 'order' && entry.outcome === 'ok');
    expect(done.length).toBeGreaterThan(MINUTES * 5);
  });
});
