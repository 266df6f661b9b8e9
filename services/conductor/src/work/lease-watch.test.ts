import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type LeaseRecord, type NodeRecord } from '@tenure/contracts';
import { ConductorHarness } from '../testing/conductor-harness.js';
import { aNode } from '../testing/nodes.js';

let harness: ConductorHarness;

beforeEach(() => {
  harness = new ConductorHarness();
});
afterEach(() => harness.close());

/** A node whose lease is over, and that lease. */
const over = (
  fields: Partial<NodeRecord> = {},
  lease: Partial<LeaseRecord> = {},
): { readonly node: NodeRecord; readonly lease: LeaseRecord } => {
  const uuid = randomUUID();
  const node = harness.inventory.put(aNode({ lease_uuid: uuid, ...fields }));
  return {
    node,
    lease: harness.inventory.leases.put({
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
    }),
  };
};

const round = async (count = 1): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) {
    await harness.conductor.leases.round();
    await harness.idle();
  }
};

const leaseNow = ({ uuid }: LeaseRecord): LeaseRecord => harness.inventory.leases.lease(uuid);
const nodeNow = ({ uuid }: NodeRecord): NodeRecord => harness.inventory.node(uuid);

describe('a node whose lease is over', () => {
  it('is cleared, torn down, cleaned and given back, one step a round', async () => {
    const { node, lease } = over({
      provision_state: 'active',
      instance_uuid: randomUUID(),
      console_enabled: true,
    });
    const vif = randomUUID();
    const port = harness.parts.put('ports', node.uuid, {
      internal_info: { tenant_vif_port_id: vif },
    });
    await round();
    expect(harness.parts.port(port.uuid).internal_info).toEqual({});
    expect(nodeNow(node)).toMatchObject({
      provision_state: 'active',
      console_enabled: false,
      reservation: null,
    });
    expect(leaseNow(lease)).toMatchObject({ status: 'ending', phase: 'cleared' });
    await round();
    expect(nodeNow(node)).toMatchObject({
      provision_state: 'available',
      instance_uuid: null,
      reservation: null,
    });
    expect(leaseNow(lease)).toMatchObject({ status: 'ending', phase: 'undeploying' });
    await round();
    expect(leaseNow(lease)).toMatchObject({ status: 'ended' });
    expect(nodeNow(node)).toMatchObject({ lease_uuid: null });
    expect(harness.inventory.leases.reports.map(({ status }) => status)).toEqual([
      'ending',
      'ending',
      'ending',
      'ended',
    ]);
  });

  it('is cleaned when nothing was deployed, and stays in service', async () => {
    const { node, lease } = over({ provision_state: 'available' });
    await round(5);
    expect(leaseNow(lease)).toMatchObject({ status: 'ended', phase: 'cleaning' });
    expect(nodeNow(node)).toMatchObject({ provision_state: 'available', last_error: null });
    expect(harness.outcomes).toContain('fake-hardware done');
  });

  it('keeps what is deployed when the lease says so', async () => {
    const { node, lease } = over(
      { provision_state: 'active' },
      { on_end: { undeploy: false, clean: false } },
    );
    await round(2);
    expect(nodeNow(node)).toMatchObject({ provision_state: 'active' });
    expect(leaseNow(lease)).toMatchObject({ status: 'ended' });
  });

  it('is waited for while it is locked', async () => {
    const { node, lease } = over({ provision_state: 'deploying', reservation: 'another' });
    await round(2);
    expect(leaseNow(lease)).toMatchObject({ status: 'ending', phase: null });
    harness.inventory.breakLock(node.uuid);
    harness.inventory.put({ ...nodeNow(node), provision_state: 'active' });
    await round(3);
    expect(leaseNow(lease)).toMatchObject({ status: 'ended' });
  });

  it('says what is in the way, without a word of the hardware, and is not asked again at once', async () => {
    const { node, lease } = over({ provision_state: 'active', protected: true });
    await round(4);
    expect(leaseNow(lease)).toMatchObject({ status: 'error', reason: 'The node is protected.' });
    expect(nodeNow(node)).toMatchObject({ provision_state: 'active', reservation: null });
    expect(harness.outcomes.filter((outcome) => outcome === 'lease failed')).toHaveLength(1);
  });

  it('is brought to its end by the next conductor when one died in between', async () => {
    const { lease } = over(
      { provision_state: 'deleting' },
      { status: 'ending', phase: 'undeploying' },
    );
    await round(2);
    expect(leaseNow(lease)).toMatchObject({ status: 'ending' });
    harness.inventory.put({
      ...harness.inventory.node(lease.node_uuid),
      provision_state: 'available',
    });
    await round();
    expect(leaseNow(lease)).toMatchObject({ status: 'ended' });
  });

  it('is left to the conductor that is responsible for it', async () => {
    const { lease } = over({ provision_state: 'active', conductor_group: 'elsewhere' });
    await round(2);
    expect(leaseNow(lease)).toMatchObject({ status: 'active', phase: null });
  });
});

describe('leases that are due', () => {
  it('are begun in every round', async () => {
    await round(2);
    expect(harness.inventory.leases.begins).toBe(2);
  });
});
