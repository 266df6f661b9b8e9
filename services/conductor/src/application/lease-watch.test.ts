import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type LeaseRecord, type NodeRecord } from '@tenure/contracts';
import { aNode } from '@tenure/testing';
import { ConductorHarness } from '../testing/conductor-harness.js';

let harness: ConductorHarness;

beforeEach(() => {
  harness = new ConductorHarness();
});
afterEach(() => harness.close());

/** A node whose lease is over, and that lease. */
function over(lease: Partial<LeaseRecord> = {}, fields: Partial<NodeRecord> = {}): LeaseRecord {
  const uuid = randomUUID();
  const end = '2026-11-21T07:00:00+00:00';
  const lent = { lease_uuid: uuid, lease_end: end, lessee: 'project-l', lessee_until: end };
  const node = harness.inventory.put(aNode({ ...lent, ...fields }));
  return harness.inventory.leases.put({
    uuid,
    node_uuid: node.uuid,
    owner: 'project-a',
    lessee: 'project-l',
    status: 'active',
    reason: null,
    start_time: '2026-11-21T06:00:00+00:00',
    end_time: '2026-11-21T07:00:00+00:00',
    started_at: '2026-11-21T06:00:00+00:00',
    ended_at: null,
    on_end: { undeploy: true, clean: true },
    purpose: null,
    phase: null,
    created_at: '2026-11-21T06:00:00+00:00',
    updated_at: null,
    revision: 1,
    ...lease,
  });
}

const said = (): readonly string[] => harness.inventory.leases.reports.map(({ status }) => status);

describe('a lease that is over', () => {
  it('is recorded as ending, which opens the handover of its machine, and ends after that', async () => {
    const { uuid } = over();
    await harness.conductor.leases.round();
    expect(harness.inventory.leases.lease(uuid).status).toBe('ending');
    await harness.conductor.leases.round();
    expect(harness.inventory.leases.lease(uuid).status).toBe('ending');
    for (const handover of harness.inventory.handoverRecords.values())
      harness.inventory.handovers.put({ ...handover, status: 'complete' });
    await harness.conductor.leases.round();
    expect(harness.inventory.leases.lease(uuid).status).toBe('ended');
    expect(said()).toEqual(['ending', 'ended', 'ended']);
  });

  it('is left to the conductor that is responsible for its node', async () => {
    over({}, { conductor_group: 'elsewhere' });
    await harness.conductor.leases.round();
    expect(said()).toEqual([]);
  });
});

describe('leases that are due', () => {
  it('are begun in every round', async () => {
    await harness.conductor.leases.round();
    await harness.conductor.leases.round();
    expect(harness.inventory.leases.begins).toBe(2);
  });
});
