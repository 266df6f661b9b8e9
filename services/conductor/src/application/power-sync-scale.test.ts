import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type NodeRecord } from '@tenure/contracts';
import { aNode } from '@tenure/testing';
import { ConductorHarness } from '../testing/conductor-harness.js';
import { PowerFleet } from '../testing/power-fleet.js';

jest.setTimeout(30_000);

const NODES = 2000;
const WORKERS = 32;

let fleet: PowerFleet;
let harness: ConductorHarness;
let healthy: readonly NodeRecord[];
let hanging: readonly NodeRecord[];

beforeEach(() => {
  fleet = new PowerFleet();
  harness = new ConductorHarness(undefined, undefined, { workers: WORKERS, wrap: fleet.wrap });
  const nodes = Array.from({ length: NODES }, () => harness.inventory.put(aNode()));
  hanging = nodes.filter((_, number) => number % 10 === 0);
  healthy = nodes.filter((_, number) => number % 10 !== 0);
  for (const { uuid } of hanging) fleet.hanging.add(uuid);
});

afterEach(() => harness.close());

function outcomes(): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const outcome of harness.outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

const readings = (nodes: readonly NodeRecord[]) =>
  new Set(nodes.map(({ uuid }) => fleet.answered.get(uuid) ?? 0));

function at(nodes: readonly NodeRecord[], index: number): NodeRecord {
  const node = nodes[index];
  if (node === undefined) throw new Error('no such node');
  return node;
}

describe('the power sync of 2,000 BMCs, of which 200 hang', () => {
  it('reads every healthy one once, and never asks more of them at a time than it has workers', async () => {
    await harness.conductor.sync.round();
    expect(readings(healthy)).toEqual(new Set([1]));
    expect(readings(hanging)).toEqual(new Set([0]));
    expect(outcomes()['same']).toBe(1800);
    await harness.conductor.sync.idle();
    expect(outcomes()).toEqual({ same: 1800, unreachable: 200 });
    expect(fleet.mostRunning).toBe(WORKERS);
    expect(harness.rounds).toMatchObject([{ nodes: NODES, isLate: false }]);
    expect(harness.rounds[0]?.seconds).toBeGreaterThan(0);
  });

  it('says of a round that it took longer than it may', async () => {
    const other = new ConductorHarness(harness.inventory, harness.parts, {
      workers: WORKERS,
      wrap: fleet.wrap,
      roundMs: 1,
    });
    await other.conductor.sync.round();
    expect(other.rounds).toMatchObject([{ nodes: NODES, isLate: true }]);
    await other.close();
  });

  it('carries out an order of the API while the round is under way', async () => {
    const ordered = at(healthy, 1799);
    const round = harness.conductor.sync.round();
    await harness.accept(ordered, 'power on');
    await harness.conductor.power.idle();
    expect(harness.inventory.node(ordered.uuid)).toMatchObject({
      power_state: 'power on',
      reservation: null,
      last_error: null,
    });
    expect(fleet.answered.size).toBeLessThan(200);
    await round;
    expect(harness.inventory.node(ordered.uuid).power_state).toBe('power on');
  });

  it('asks those that hang beside the next rounds, with a quarter of its workers', async () => {
    await harness.conductor.sync.round();
    await harness.conductor.sync.idle();
    fleet.forget();
    harness.outcomes.length = 0;
    await harness.conductor.sync.round();
    // 24 workers read the healthy ones in 75 batches; the 8 others queried some that hang, without delaying the round.
    const queriedHanging = hanging.filter(({ uuid }) => fleet.queries.has(uuid));
    expect(queriedHanging.length).toBeLessThan(100);
    expect(readings(healthy)).toEqual(new Set([1]));
    await harness.conductor.sync.idle();
    expect(outcomes()).toEqual({ same: 1800, unreachable: 200 });
  });

  it('asks one that answers again with the others', async () => {
    await harness.conductor.sync.round();
    await harness.conductor.sync.idle();
    fleet.hanging.clear();
    await harness.conductor.sync.round();
    await harness.conductor.sync.idle();
    fleet.forget();
    harness.outcomes.length = 0;
    await harness.conductor.sync.round();
    expect(outcomes()).toEqual({ same: 2000 });
    expect(fleet.mostRunning).toBe(24);
  });

  it('puts those that stay away into maintenance, and takes them out when they are back', async () => {
    for (let round = 0; round < 3; round += 1) {
      await harness.conductor.sync.round();
      await harness.conductor.sync.idle();
    }
    const { uuid } = at(hanging, 7);
    expect(harness.inventory.node(uuid)).toMatchObject({
      maintenance: true,
      fault: 'power failure',
      power_state: 'power off',
      reservation: null,
      last_error:
        'The power state could not be read 3 times in a row. Error: no answer from the BMC.',
    });
    // The history records the maintenance itself; the outage was recorded once.
    expect(harness.inventory.events.filter((event) => event.uuid === uuid)).toEqual([
      {
        uuid,
        conductor: 'conductor-1',
        severity: 'ERROR',
        event: 'The power state could not be read. Error: no answer from the BMC.',
        event_type: 'power',
      },
    ]);
    fleet.hanging.clear();
    fleet.on.add(uuid);
    await harness.conductor.sync.round();
    await harness.conductor.sync.idle();
    expect(harness.inventory.node(uuid)).toMatchObject({
      maintenance: false,
      maintenance_reason: null,
      fault: null,
      power_state: 'power on',
    });
    expect(outcomes()).toMatchObject({ maintenance: 200, recovered: 200 });
  });
});
