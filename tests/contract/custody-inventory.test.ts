import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type HandoverRecord, type LeaseRecord, type NodeRecord } from '@tenure/contracts';
import { newCallContext } from '@tenure/signed-context';
import { aNode } from '@tenure/testing';
import { type HandoverReport } from '../../services/conductor/src/ports/handover-book.js';
import { INVENTORIES, type TestedInventory } from '../support/inventories.js';

// The contract of leases and handovers with a conductor: of the inventory's program, and of the one in memory.

const MISSING = '00000000-0000-4000-8000-000000000404';
const LEASE = '00000000-0000-4000-8000-000000000091';
const OWN = newCallContext('tenure:conductor:handover');
const NOT_FOUND = { status: 404, code: 'not_found' };
const NOT_DONE = { status: 409, code: 'handover_not_done' };
const AT = '2026-11-21T08:00:00+00:00';

const step = (name: 'clean' | 'power_off', outcome: 'done' | 'failed', minute = 0) =>
  ({ step: name, outcome, at: `2026-11-21T08:0${String(minute)}:00+00:00`, detail: null }) as const;
const CLEANED = { status: 'open', phase: 'cleaning', steps: [step('clean', 'done')] } as const;

describe.each(INVENTORIES)('the inventory %s, for handovers and leases', (_name, open) => {
  let inventory: TestedInventory;
  beforeEach(async () => {
    inventory = await open();
  });
  afterEach(() => inventory.close());

  /** Writes under a lock of its own. */
  const write = async (
    { uuid }: NodeRecord,
    set: Readonly<Record<string, unknown>>,
    more: { readonly handover?: 'complete'; readonly release?: boolean } = {},
  ): Promise<NodeRecord> => {
    const { fence } = await inventory.conductor.reserve(OWN, uuid, { holder: 'host-1' });
    const change = { holder: 'host-1', fence, set, release: true, ...more };
    return (await inventory.conductor.change(OWN, uuid, change)).node;
  };
  /** A machine in use that its tenant undeploys. */
  const undeployed = async (fields: Partial<NodeRecord> = {}): Promise<NodeRecord> =>
    write(await inventory.put(aNode({ provision_state: 'active', ...fields })), {
      provision_state: 'deleting',
    });
  const handoverOf = async ({ handover_uuid: uuid }: NodeRecord): Promise<HandoverRecord> => {
    const record = await inventory.handovers.get(OWN, uuid ?? '');
    if (record === undefined) throw new Error('the node is in no handover');
    return record;
  };
  const report = (node: NodeRecord, work: HandoverReport): Promise<HandoverRecord> =>
    inventory.handovers.report(OWN, node.handover_uuid ?? '', work);
  const complete = (node: NodeRecord): Promise<HandoverRecord> =>
    inventory.handovers.complete(OWN, node.handover_uuid ?? '');

  it('finds no handover and no lease that is missing', async () => {
    const { handovers, leases } = inventory;
    expect(await handovers.get(OWN, MISSING)).toBeUndefined();
    await expect(handovers.report(OWN, MISSING, CLEANED)).rejects.toMatchObject(NOT_FOUND);
    await expect(handovers.complete(OWN, MISSING)).rejects.toMatchObject(NOT_FOUND);
    expect(await leases.get(OWN, MISSING)).toBeUndefined();
    await expect(leases.report(OWN, MISSING, { status: 'ending' })).rejects.toMatchObject(
      NOT_FOUND,
    );
  });

  describe('a machine', () => {
    it('that is undeployed is handed over, to be cleared and cleaned', async () => {
      const node = await undeployed({ lessee: 'project-b' });
      expect(await handoverOf(node)).toMatchObject({
        node_uuid: node.uuid,
        cause: 'undeploy',
        status: 'open',
        phase: null,
        owner: 'project-a',
        from_project: 'project-b',
        to_project: 'project-b',
        plan: { undeploy: true, clean: true },
      });
    });

    it('that is not to be cleaned is cleared only', async () => {
      const node = await undeployed({ automated_clean: false });
      expect(await handoverOf(node)).toMatchObject({ plan: { undeploy: true, clean: false } });
    });

    it('whose lessee goes with the instance is handed over once', async () => {
      const node = await undeployed({ lessee: 'project-b' });
      const { handover_uuid } = await write(node, { provision_state: 'cleaning', lessee: null });
      expect(handover_uuid).toBe(node.handover_uuid);
    });

    it('whose lessee changes is handed over', async () => {
      const used = aNode({ provision_state: 'active', lessee: 'project-b' });
      const node = await write(await inventory.put(used), { lessee: null });
      expect(await handoverOf(node)).toMatchObject({
        ...{ cause: 'lessee_changed', from_project: 'project-b', to_project: 'project-a' },
      });
    });

    it('that nobody has used since is handed over at once', async () => {
      const unused = aNode({ provision_state: 'available', lessee: 'project-b' });
      const { uuid } = await write(await inventory.put(unused), { lessee: null });
      const after = await inventory.node(uuid);
      const record = await inventory.handovers.get(OWN, after.handover_uuid ?? MISSING);
      expect(record?.status ?? 'complete').toBe('complete');
    });
  });

  describe('a report on a handover', () => {
    it('adds what it has to what was there, each once', async () => {
      const node = await undeployed();
      const erased = { interface: 'deploy', step: 'erase_devices', outcome: 'done', at: AT };
      const off = step('power_off', 'done');
      await report(node, {
        ...{ status: 'failed', reason: 'No agent.', steps: [off, step('clean', 'failed')] },
        ...{ erased: [erased], put_back: { a: 1 }, firmware: [{ component: 'bios' }] },
      });
      expect(await handoverOf(node)).toMatchObject({
        ...{ status: 'failed', reason: 'No agent.', phase: null, erased: [erased] },
        ...{ put_back: { a: 1 }, firmware: [{ component: 'bios' }] },
      });
      const agent = 'a'.repeat(64);
      await report(node, {
        ...{ status: 'open', phase: 'cleared', steps: [off, step('clean', 'failed', 1)], agent },
        ...{ erased: [erased], put_back: { b: 2 }, firmware: [] },
      });
      expect(
        await report(node, { status: 'open', steps: [step('clean', 'done', 2)] }),
      ).toMatchObject({
        ...{ status: 'open', reason: null, phase: 'cleared', agent, erased: [erased] },
        ...{ put_back: { a: 1, b: 2 }, firmware: [{ component: 'bios' }] },
        steps: [off, step('clean', 'done', 2)],
      });
    });

    it('is refused with a member that there is not', async () => {
      const node = await undeployed();
      const unknown = Object.assign({}, CLEANED, { no_such_member: 1 });
      await expect(report(node, unknown)).rejects.toMatchObject({
        status: 400,
        code: 'bad_request',
      });
    });
  });

  describe('a handover', () => {
    it('is not complete before the machine was cleaned', async () => {
      const node = await undeployed();
      await expect(complete(node)).rejects.toMatchObject(NOT_DONE);
      await report(node, { status: 'open', phase: 'cleaning', steps: [step('clean', 'failed')] });
      await expect(complete(node)).rejects.toMatchObject(NOT_DONE);
      await report(node, { status: 'open', steps: [step('clean', 'done', 1)] });
      expect(await complete(node)).toMatchObject({ status: 'complete', reason: null });
      expect((await inventory.node(node.uuid)).handover_uuid).toBeNull();
    });

    it('is not complete while the machine is locked', async () => {
      const node = await undeployed();
      await report(node, CLEANED);
      await inventory.conductor.reserve(OWN, node.uuid, { holder: 'host-1' });
      await expect(complete(node)).rejects.toMatchObject(NOT_DONE);
    });

    it('of a machine that is not to be cleaned is complete once it is cleared', async () => {
      const node = await undeployed({ automated_clean: false });
      await expect(complete(node)).rejects.toMatchObject(NOT_DONE);
      await report(node, { status: 'open', phase: 'cleared' });
      expect(await complete(node)).toMatchObject({ status: 'complete' });
    });

    it('that is complete stays as it is', async () => {
      const node = await undeployed();
      await report(node, CLEANED);
      const done = await complete(node);
      expect(await complete(node)).toMatchObject({ status: 'complete', steps: done.steps });
      expect(await report(node, { status: 'failed', reason: 'Late.' })).toMatchObject({
        ...{ status: 'complete', reason: null },
      });
    });

    it('is completed with the write that ends cleaning, if the machine was cleaned', async () => {
      const node = await undeployed();
      const available = { provision_state: 'available' };
      const early = await write(node, available, { handover: 'complete' });
      expect(early).toMatchObject({ ...available, handover_uuid: node.handover_uuid });
      await report(node, CLEANED);
      const after = await write(node, {}, { handover: 'complete' });
      expect(after).toMatchObject({ ...available, handover_uuid: null, reservation: null });
      expect(await handoverOf(node)).toMatchObject({ status: 'complete' });
    });
  });

  describe('a lease', () => {
    const lend = async (end: string): Promise<NodeRecord> => {
      const lent = { lessee: 'project-b', lessee_until: end, lease_uuid: LEASE, lease_end: end };
      const node = await inventory.put(aNode({ provision_state: 'active', ...lent }));
      const lease: LeaseRecord = {
        ...{ uuid: LEASE, node_uuid: node.uuid, owner: 'project-a', lessee: 'project-b' },
        ...{ status: 'active', reason: null, purpose: null, phase: null, sealed: null },
        ...{ start_time: '2026-11-21T06:00:00+00:00', end_time: end },
        ...{ started_at: '2026-11-21T06:00:00+00:00', ended_at: null },
        on_end: { undeploy: true, clean: true },
        ...{ created_at: '2026-11-21T06:00:00+00:00', updated_at: null, revision: 1 },
      };
      await inventory.putLease(lease);
      return node;
    };
    const end = (status: 'ending' | 'ended') => inventory.leases.report(OWN, LEASE, { status });

    it('that lasts does not end', async () => {
      await lend('2026-11-21T08:00:01+00:00');
      await expect(end('ending')).rejects.toMatchObject({ status: 409, code: 'lease_not_over' });
      expect(await inventory.leases.get(OWN, LEASE)).toMatchObject({ status: 'active' });
    });

    it('that is over takes the machine from the lessee, and ends once that is handed over', async () => {
      const { uuid } = await lend('2026-11-21T07:59:59+00:00');
      expect(await end('ending')).toMatchObject({ status: 'ending' });
      const node = await inventory.node(uuid);
      expect(node).toMatchObject({ lessee: null, lessee_until: null, lease_uuid: LEASE });
      expect(await handoverOf(node)).toMatchObject({
        ...{ cause: 'lease_end', from_project: 'project-b', lease_uuid: LEASE },
        plan: { undeploy: true, clean: true },
      });
      expect(await end('ending')).toMatchObject({ status: 'ending' });
      await expect(end('ended')).rejects.toMatchObject({ status: 409, code: 'lease_not_cleared' });
      await report(node, CLEANED);
      await complete(node);
      expect(await inventory.leases.get(OWN, LEASE)).toMatchObject({ status: 'ended' });
      expect(await end('ended')).toMatchObject({ status: 'ended' });
      expect(await inventory.node(uuid)).toMatchObject({
        ...{ lease_uuid: null, lease_end: null, handover_uuid: null },
      });
    });

    it('does not begin when none is due', async () => {
      expect(await inventory.leases.beginDue(OWN)).toBe(0);
    });
  });
});
