import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type CallContext, type NodeRecord, type Obligations } from '@tenure/contracts';
import { newCallContext } from '@tenure/signed-context';
import { aNode } from '@tenure/testing';
import { INVENTORIES, type TestedInventory } from '../support/inventories.js';

// The contract of the inventory with a conductor: of the inventory's program, and of the one in memory.

const MISSING = '00000000-0000-4000-8000-000000000404';
const ALLOCATION = '00000000-0000-4000-8000-0000000000a1';
const OWN = newCallContext('tenure:conductor:sync');
const ORDER = newCallContext('baremetal:node:set_power_state');
const ANN = {
  user_id: 'ann',
  project_id: 'project-a',
  system_scope: null,
  domain_id: null,
  roles: ['member'],
};
const LOCKED = { status: 409, code: 'node_locked' };
const LOST = { status: 409, code: 'lock_lost' };
const NOT_FOUND = { status: 404, code: 'not_found' };
const BAD_REQUEST = { status: 400, code: 'bad_request' };
const STALE = {
  ...{ status: 412, code: 'tenancy_changed' },
  headers: { 'X-Tenure-Stale': 'tenancy' },
};
const REPORT = {
  drivers: ['fake-hardware'],
  conductor_group: 'rack',
  advertised_url: 'http://10.0.0.7:8183',
  timeout_seconds: 60,
  interfaces: { 'fake-hardware': { bios: { default: 'fake', enabled: ['fake', 'no-bios'] } } },
};

const demanding = (obligations: Partial<Obligations>): CallContext => ({
  ...ORDER,
  obligations: { ...ORDER.obligations, ...obligations },
});

const about = ({ uuid }: NodeRecord, tenancy_revision: number): CallContext => ({
  ...ORDER,
  resources: [{ type: 'node', uuid, tenancy_revision }],
});

const uuidsOf = (nodes: readonly NodeRecord[]): readonly string[] => nodes.map(({ uuid }) => uuid);

describe.each(INVENTORIES)('the inventory %s, for a conductor', (_name, open) => {
  let inventory: TestedInventory;
  beforeEach(async () => {
    inventory = await open();
  });
  afterEach(() => inventory.close());

  const put = (fields: Partial<NodeRecord> = {}): Promise<NodeRecord> =>
    inventory.put(aNode(fields));
  const lock = (node: NodeRecord, holder = 'host-1', context = ORDER) =>
    inventory.conductor.reserve(context, node.uuid, { holder });
  const list = async (choice: object = {}) =>
    uuidsOf(await inventory.conductor.listNodes(OWN, { limit: 10, ...choice }));
  const report = (...hosts: readonly string[]) =>
    Promise.all(hosts.map((host) => inventory.conductor.report(OWN, host, REPORT)));

  describe('a lock', () => {
    it('is taken once, together with what is written, and names what it was written over', async () => {
      const node = await put({ power_state: 'power off', provision_state: 'active' });
      const taken = await inventory.conductor.reserve(ORDER, node.uuid, {
        holder: 'host-1',
        set: { power_state: 'power on', target_power_state: 'power on' },
      });
      expect(taken).toMatchObject({
        fence: 1,
        node: {
          fence: 1,
          revision: 2,
          reservation: 'host-1',
          power_state: 'power on',
          target_power_state: 'power on',
        },
        previous: {
          provision_state: 'active',
          provision_updated_at: null,
          power_state: 'power off',
        },
      });
      expect(await inventory.node(node.uuid)).toEqual(taken.node);
      await expect(lock(node, 'host-2')).rejects.toMatchObject({
        ...LOCKED,
        message: `Node ${node.uuid} is locked by host host-1, please retry after the current operation is completed.`,
      });
    });

    it('is refused without the name of its holder to those from whom that is masked', async () => {
      const node = await put({ reservation: 'host-1' });
      const context = demanding({ fields: { masked: ['reservation'], read_only: [] } });
      await expect(lock(node, 'host-2', context)).rejects.toMatchObject({
        ...LOCKED,
        message: `Node ${node.uuid} is locked, please retry after the current operation is completed.`,
      });
    });

    it('is taken by one of many that want it at once', async () => {
      const node = await put();
      const hosts = ['host-1', 'host-2', 'host-3', 'host-4'];
      const results = await Promise.allSettled(hosts.map((host) => lock(node, host)));
      expect(results.map(({ status }) => status).sort()).toEqual([
        'fulfilled',
        'rejected',
        'rejected',
        'rejected',
      ]);
    });

    it('lets its holder write with its fence only, until it is released', async () => {
      const node = await put();
      const { fence } = await lock(node);
      const write = (proof: object, release = false) =>
        inventory.conductor.change(ORDER, node.uuid, {
          ...{ holder: 'host-1', fence, set: { power_state: 'power on' }, release },
          ...proof,
        });
      await expect(write({ fence: fence - 1 })).rejects.toMatchObject(LOST);
      await expect(write({ holder: 'host-2' })).rejects.toMatchObject(LOST);
      expect((await write({})).node).toMatchObject({ reservation: 'host-1', revision: 3 });
      expect(await write({}, true)).toMatchObject({
        fence: 1,
        node: { reservation: null, power_state: 'power on' },
        previous: { power_state: 'power on' },
      });
      await expect(write({})).rejects.toMatchObject(LOST);
      expect(await lock(node)).toMatchObject({ fence: 2 });
      await expect(write({})).rejects.toMatchObject(LOST);
    });

    it.each([
      'uuid',
      'created_at',
      'updated_at',
      'name',
      'owner',
      'allocation_uuid',
      'conductor',
      'reservation',
      'fence',
      'no_such_field',
    ])('gives no right to write %s', async (field) => {
      const node = await put();
      const set = { power_state: 'power on', [field]: null };
      const reservation = { holder: 'host-1', set };
      await expect(
        inventory.conductor.reserve(ORDER, node.uuid, reservation),
      ).rejects.toMatchObject(BAD_REQUEST);
      const { fence } = await lock(node);
      await expect(
        inventory.conductor.change(ORDER, node.uuid, { holder: 'host-1', fence, set }),
      ).rejects.toMatchObject({ ...BAD_REQUEST, message: `A conductor cannot set ${field}.` });
      expect((await inventory.node(node.uuid)).power_state).toBe('power off');
    });

    it('is refused for a decision that was made on another tenancy', async () => {
      const node = await put({ tenancy_revision: 2 });
      for (const stale of [about(node, 1), about(node, 3)]) {
        await expect(lock(node, 'host-1', stale)).rejects.toMatchObject(STALE);
        await expect(inventory.conductor.getNode(stale, node.uuid)).rejects.toMatchObject(STALE);
      }
      expect(await lock(node, 'host-1', about(node, 2))).toMatchObject({ fence: 1 });
    });

    it('is refused while a condition of the decision is not met', async () => {
      const node = await put({ provision_state: 'active' });
      const unless = (value: string) =>
        demanding({ conditions: [{ field: 'provision_state', op: 'ne', value, action: 'a:b' }] });
      await expect(lock(node, 'host-1', unless('active'))).rejects.toMatchObject({
        status: 409,
        code: 'condition_not_met',
      });
      expect(await lock(node, 'host-1', unless('deploying'))).toMatchObject({ fence: 1 });
    });

    it('on a machine that is being handed over is for conductors, and those whose order was decided', async () => {
      const handover_uuid = MISSING;
      const refused = { status: 409, code: 'node_in_handover' };
      const node = await put({ handover_uuid });
      await expect(lock(node, 'host-1', ORDER)).rejects.toMatchObject(refused);
      const isNull = { field: 'handover_uuid', op: 'null', action: 'a:b' } as const;
      const conditional = { ...demanding({ conditions: [isNull] }), subject: ANN };
      await expect(lock(node, 'host-1', conditional)).rejects.toMatchObject(refused);
      expect(await lock(node, 'host-1', OWN)).toMatchObject({ fence: 1 });
      const other = await put({ handover_uuid: ALLOCATION });
      expect(await lock(other, 'host-1', { ...ORDER, subject: ANN })).toMatchObject({ fence: 1 });
    });
  });

  describe('a write under a lock', () => {
    it('of a lessee makes every decision stale that was made before', async () => {
      const node = await put();
      const { fence } = await lock(node);
      const set = { lessee: 'project-b' };
      const { node: leased } = await inventory.conductor.change(ORDER, node.uuid, {
        ...{ holder: 'host-1', fence, set, release: true },
      });
      expect(leased).toMatchObject({ lessee: 'project-b', tenancy_revision: 2 });
      await expect(lock(node, 'host-1', about(node, 1))).rejects.toMatchObject(STALE);
    });

    it('leaves a lessee whose lease lasts', async () => {
      const lease = { lessee: 'project-b', lessee_until: '2026-11-22T08:00:00+00:00' };
      const node = await put({ ...lease, lease_uuid: ALLOCATION, lease_end: lease.lessee_until });
      const { fence } = await lock(node);
      const { node: after } = await inventory.conductor.change(ORDER, node.uuid, {
        ...{ holder: 'host-1', fence, set: { lessee: null, power_state: null } },
      });
      expect(after).toMatchObject({ lessee: 'project-b', power_state: null, tenancy_revision: 1 });
    });

    it('that removes the instance removes its allocation', async () => {
      const node = await put({ resource_class: 'baremetal' });
      const candidate_filter = { mode: 'all', predicates: [] } as const;
      const wanted = { name: null, owner: null, resource_class: 'baremetal', traits: [] };
      await inventory.store.create(
        { ...wanted, uuid: ALLOCATION, candidate_nodes: [], extra: {}, candidate_filter },
        OWN,
      );
      await inventory.pool.claim(ALLOCATION, node.uuid, OWN);
      const { fence } = await lock(node, 'host-1', OWN);
      const { node: after } = await inventory.conductor.change(OWN, node.uuid, {
        ...{ holder: 'host-1', fence, set: { instance_uuid: null }, release: true },
      });
      expect(after).toMatchObject({ instance_uuid: null, allocation_uuid: null });
      await expect(inventory.store.find(ALLOCATION, OWN)).rejects.toMatchObject(NOT_FOUND);
    });
  });

  it('answers 404 for a node that is missing', async () => {
    const { conductor } = inventory;
    const lock = { holder: 'host-1', fence: 1 };
    await expect(conductor.getNode(OWN, MISSING)).rejects.toMatchObject({
      ...NOT_FOUND,
      message: `Node ${MISSING} could not be found.`,
    });
    await expect(conductor.reserve(OWN, MISSING, { holder: 'host-1' })).rejects.toMatchObject(
      NOT_FOUND,
    );
    await expect(conductor.change(OWN, MISSING, { ...lock, set: {} })).rejects.toMatchObject(
      NOT_FOUND,
    );
    await expect(
      conductor.takeOver(OWN, MISSING, { ...lock, from: 'host-2' }),
    ).rejects.toMatchObject(NOT_FOUND);
    await expect(
      conductor.putDocument(OWN, MISSING, 'bios', { document: { settings: [] } }),
    ).rejects.toMatchObject(NOT_FOUND);
    await expect(
      conductor.recordEvent(OWN, MISSING, {
        ...{ conductor: 'host-1', severity: 'ERROR', event: 'Lost.', event_type: null },
      }),
    ).rejects.toMatchObject(NOT_FOUND);
    expect(await conductor.getDocument(OWN, MISSING, 'bios')).toBeUndefined();
  });

  describe('a list of nodes', () => {
    it('goes on after a marker, in the order of creation', async () => {
      const nodes = [await put(), await put(), await put()];
      const [first = '', second = '', third = ''] = uuidsOf(nodes);
      expect(await inventory.conductor.listNodes(OWN, { limit: 2 })).toEqual(nodes.slice(0, 2));
      expect(await list({ limit: 2, marker: first })).toEqual([second, third]);
      expect(await list({ limit: 2, marker: third })).toEqual([]);
    });

    it('goes on after a marker that is not of the nodes that are wanted', async () => {
      const nodes = [
        await put({ reservation: 'host-1' }),
        await put(),
        await put({ reservation: 'host-1' }),
      ];
      const [, second = '', third = ''] = uuidsOf(nodes);
      expect(await list({ marker: second, reservedBy: 'host-1' })).toEqual([third]);
    });

    it('is refused for a marker that is no node', async () => {
      await expect(list({ marker: MISSING })).rejects.toMatchObject(BAD_REQUEST);
    });

    it('is of what one conductor holds', async () => {
      await put();
      const { uuid } = await put({ reservation: 'host-1' });
      await put({ reservation: 'host-2' });
      expect(await list({ reservedBy: 'host-1' })).toEqual([uuid]);
    });

    it('is of nodes whose lease is over, and which are not cleared yet', async () => {
      await put();
      await put({ lease_uuid: ALLOCATION, lease_end: '2026-11-21T08:00:01+00:00' });
      const { uuid } = await put({ lease_uuid: MISSING, lease_end: '2026-11-21T08:00:00+00:00' });
      expect(await list({ leaseOver: true })).toEqual([uuid]);
    });

    it('is of nodes that are being handed over', async () => {
      await put();
      const { uuid } = await put({ handover_uuid: MISSING });
      expect(await list({ inHandover: true })).toEqual([uuid]);
    });
  });

  describe('a document of a node', () => {
    const document = { settings: [{ name: 'NumLock', value: 'true' }] };

    it('is kept by its kind, in place of the one before', async () => {
      const { conductor } = inventory;
      const { uuid } = await put();
      expect(await conductor.getDocument(OWN, uuid, 'bios')).toBeUndefined();
      await conductor.putDocument(OWN, uuid, 'bios', { document: { settings: [] } });
      await conductor.putDocument(OWN, uuid, 'bios', { document });
      expect(await conductor.getDocument(OWN, uuid, 'bios')).toEqual(document);
      expect(await conductor.getDocument(OWN, uuid, 'firmware')).toBeUndefined();
    });

    it('is written under a lock only by its owner', async () => {
      const { conductor } = inventory;
      const node = await put();
      const update = { holder: 'host-1', fence: 1, document };
      await expect(conductor.putDocument(OWN, node.uuid, 'bios', update)).rejects.toMatchObject(
        LOST,
      );
      await expect(
        conductor.putDocument(OWN, node.uuid, 'bios', { holder: 'host-1', document }),
      ).rejects.toMatchObject(BAD_REQUEST);
      await lock(node);
      await conductor.putDocument(OWN, node.uuid, 'bios', update);
      expect(await conductor.getDocument(OWN, node.uuid, 'bios')).toEqual(document);
    });
  });

  describe('a conductor', () => {
    const MEMBER = {
      drivers: ['fake-hardware'],
      conductor_group: 'rack',
      advertised_url: 'http://10.0.0.7:8183',
    };
    const alive = () => inventory.conductor.listConductors(OWN);

    it('is alive while its heartbeats are recent', async () => {
      await report('host 2', 'host-1');
      expect(await alive()).toEqual([
        { hostname: 'host 2', ...MEMBER },
        { hostname: 'host-1', ...MEMBER },
      ]);
      await inventory.silence('host-1');
      expect((await alive()).map(({ hostname }) => hostname)).toEqual(['host 2']);
    });

    it('is not alive once it deregisters, until it reports again', async () => {
      await inventory.conductor.deregister(OWN, 'never-there');
      await report('host-1');
      await inventory.conductor.deregister(OWN, 'host-1');
      expect(await alive()).toEqual([]);
      await report('host-1');
      expect(await alive()).toHaveLength(1);
    });
  });

  describe('a lock of a conductor that is dead', () => {
    const takeOver = ({ uuid }: NodeRecord, fence: number, from = 'host-1') =>
      inventory.conductor.takeOver(OWN, uuid, { holder: 'host-2', from, fence });

    it('is listed, and taken over once', async () => {
      await report('host-1', 'host-2');
      const node = await put({ reservation: 'host-1', fence: 4 });
      await put({ reservation: 'host-2' });
      await put({ reservation: 'never-reported' });
      expect(await list({ ofDeparted: true })).toEqual([]);
      await inventory.silence('host-1');
      expect(await list({ ofDeparted: true })).toEqual([node.uuid]);
      expect(await takeOver(node, 4)).toMatchObject({
        fence: 5,
        node: { reservation: 'host-2', fence: 5 },
        previous: { provision_state: 'available', power_state: 'power off' },
      });
      await expect(takeOver(node, 4)).rejects.toMatchObject(LOCKED);
      expect(await list({ ofDeparted: true })).toEqual([]);
      const late = { holder: 'host-2', fence: 4, set: {} };
      await expect(inventory.conductor.change(OWN, node.uuid, late)).rejects.toMatchObject(LOST);
    });

    it('is not taken over from one that is alive, deregistered a moment ago or never reported', async () => {
      await report('host-1', 'host-2', 'host-3');
      await inventory.conductor.deregister(OWN, 'host-3');
      for (const holder of ['host-1', 'host-3', 'never-reported']) {
        const node = await put({ reservation: holder, fence: 4 });
        await expect(takeOver(node, 4, holder)).rejects.toMatchObject(LOCKED);
      }
    });

    it('is not taken over with another fence, or when another holds it', async () => {
      await report('host-1', 'host-2');
      const node = await put({ reservation: 'host-1', fence: 4 });
      const others = await put({ reservation: 'host-2', fence: 4 });
      await inventory.silence('host-1');
      for (const [wanted, fence] of [
        [node, 3],
        [node, 5],
        [others, 4],
      ] as const)
        await expect(takeOver(wanted, fence)).rejects.toMatchObject(LOCKED);
    });
  });
});
