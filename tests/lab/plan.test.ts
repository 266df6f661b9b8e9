import { describe, expect, it } from '@jest/globals';
import { type StoreKind } from '../support/cluster/cluster.js';
import { randomFrom } from '../support/random.js';
import { parts } from '../support/tenure.js';
import { describeFault } from './fault.js';
import { planOf } from './plan.js';

const plan = (seed: number, store: StoreKind = 'mongodb', durationMs = 600_000) =>
  planOf(randomFrom(seed), { store, durationMs, machines: 3, replicas: 2 });

describe('the faults of a seed', () => {
  it('are the same each time, and others for another seed', () => {
    expect(plan(7)).toEqual(plan(7));
    expect(plan(7)).not.toEqual(plan(8));
  });

  it('begin with the same faults, however long the run is', () => {
    const short = plan(7, 'mongodb', 60_000);
    expect(plan(7).slice(0, short.length)).toEqual(short);
  });

  it('are of every kind, and in order', () => {
    const faults = plan(1);
    expect(new Set(faults.map(({ kind }) => kind))).toEqual(
      new Set([
        ...['kill', 'freeze', 'restart', 'cut', 'hold', 'slow', 'store', 'bmc'],
        ...['disk', 'damage', 'clock'],
      ]),
    );
    const times = faults.map(({ atMs }) => atMs);
    expect([...times].sort((a, b) => a - b)).toEqual(times);
  });

  it('spoil disks and files only of what keeps some: the decision points, and the embedded store', () => {
    const spoilt = (store: StoreKind) =>
      new Set(
        plan(1, store, 3_600_000).flatMap((fault) => {
          if (fault.kind === 'disk') return [`${fault.how} ${fault.part}`];
          return fault.kind === 'damage' ? [`${fault.what} ${fault.part}`] : [];
        }),
      );
    const ofPdp = ['full pdp', 'read-only pdp', 'decisions pdp'];
    expect(spoilt('mongodb')).toEqual(new Set(ofPdp));
    expect(spoilt('sqlite')).toEqual(
      new Set([...ofPdp, 'full inventory', 'read-only inventory', 'store-log inventory']),
    );
  });

  it('step clocks of every part forwards and backwards', () => {
    const steps = plan(1, 'mongodb', 3_600_000).filter((fault) => fault.kind === 'clock');
    expect(new Set(steps.map(({ part }) => part))).toEqual(new Set(parts));
    expect(new Set(steps.map(({ seconds }) => seconds))).toEqual(
      new Set([-86_400, -1860, -5, 5, 1860, 86_400]),
    );
  });

  it('name no second inventory and no MongoDB on the embedded store', () => {
    const faults = plan(1, 'sqlite', 3_600_000);
    expect(faults.some((fault) => 'to' in fault && fault.to === 'mongo')).toBe(false);
    const inventories = faults.flatMap((fault) =>
      'part' in fault && fault.part === 'inventory' ? [fault.replica] : [],
    );
    expect(new Set(inventories)).toEqual(new Set([0]));
  });

  it('are described in a line each', () => {
    expect(
      describeFault({ kind: 'freeze', part: 'conductor', replica: 1, atMs: 12_400, forMs: 4000 }),
    ).toBe('12.4 s freeze conductor-1 for 4.0 s');
    expect(
      describeFault({
        kind: 'slow',
        from: 'gateway',
        to: 'pdp',
        delayMs: 20,
        atMs: 1000,
        forMs: 500,
      }),
    ).toBe('1.0 s slow gateway to pdp by 20 ms for 0.5 s');
    const moment = { atMs: 1000, forMs: 500 };
    expect(describeFault({ kind: 'store', ...moment })).toBe('1.0 s store for 0.5 s');
    const pdp = { part: 'pdp', replica: 0 } as const;
    expect(describeFault({ kind: 'disk', ...pdp, how: 'full', ...moment })).toBe(
      '1.0 s disk of pdp-0 full for 0.5 s',
    );
    expect(describeFault({ kind: 'damage', ...pdp, what: 'decisions', atMs: 1000, forMs: 0 })).toBe(
      '1.0 s damage to decisions of pdp-0',
    );
    expect(describeFault({ kind: 'clock', ...pdp, seconds: 5, ...moment })).toBe(
      '1.0 s clock of pdp-0 by +5 s for 0.5 s',
    );
  });
});
