import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ContextClaims } from '@tenure/contracts';
import { faultOf } from '@tenure/testing';
import { handoverOfLease } from './domain/custody.js';
import { EVERYTHING, uuidOf } from './testing/fixtures.js';
import { handoverCalls, memberOf } from './testing/handover-calls.js';
import { leaseCalls } from './testing/lease-calls.js';
import { resourceCalls } from './testing/resource-calls.js';
import { seesAll, startTestApp, type TestApp } from './testing/test-app.js';

let app: TestApp;
const { add, addNode, create, stored } = resourceCalls(() => app);
const { lend, leaseIn, end, report, round } = leaseCalls(() => app);
const { node, records, patch, order, say, cleaned, lock, applyChange } = handoverCalls(() => app);

const OWNERS = { rack: 'r1' };
/** The policy's obligations for a lessee, and for a service that acts for one. */
const UNTIL_HANDED_OVER: ContextClaims['obligations'] = {
  ...seesAll,
  conditions: [{ field: 'handover_uuid', op: 'null', action: 'baremetal:node:use_in_handover' }],
};

beforeEach(async () => {
  app = await startTestApp();
  await addNode(1, {
    owner: 'p-owner',
    lessee: 'p-a',
    provision_state: 'available',
    resource_class: 'bm',
    extra: OWNERS,
    description: 'the owner’s',
  });
});
afterEach(() => app.close());

async function isUsedBy(project: string): Promise<void> {
  expect((await order(1, { subject: memberOf(project) })).status).toBe(200);
}

const candidates = async (): Promise<unknown> =>
  (
    await app.call({
      from: 'allocation',
      method: 'POST',
      target: '/internal/candidates',
      body: { filter: { mode: 'all', predicates: [] } },
    })
  ).body;

describe('what a lessee wrote', () => {
  const RESIDUE = {
    extra: { secret: 'A' },
    description: 'A was here',
    instance_info: {
      image_source: 'http://a.example/backdoor',
      configdrive: 'A',
      project_id: 'p-a',
    },
    network_data: { links: [] },
    name: 'a-was-here',
  };

  it('is removed in the very write that gives the machine to another, and the owner’s is back', async () => {
    expect((await patch(1, 'p-a', RESIDUE)).status).toBe(200);
    const answer = await patch(1, 'p-owner', { lessee: 'p-b' });
    expect(answer.body).toMatchObject({
      lessee: 'p-b',
      extra: OWNERS,
      description: 'the owner’s',
      instance_info: {},
      network_data: {},
      name: 'n1',
    });
    expect(JSON.stringify(answer.body)).not.toContain('p-a');
  });

  it('is kept, sealed and without its secrets, in the record of the handover', async () => {
    await patch(1, 'p-a', RESIDUE);
    await patch(1, 'p-owner', { lessee: 'p-b' });
    expect(await records()).toMatchObject([
      {
        node_uuid: uuidOf(1),
        cause: 'lessee_changed',
        owner: 'p-owner',
        from_project: 'p-a',
        to_project: 'p-b',
        user_id: 'u-p-owner',
        decision_id: 'd-1',
        sealed: {
          extra: { secret: 'A' },
          description: 'A was here',
          instance_info: { image_source: 'http://a.example/backdoor', configdrive: '******' },
          name: 'a-was-here',
        },
        put_back: {
          fields: expect.arrayContaining(['extra', 'description', 'instance_info', 'name']),
        },
      },
    ]);
  });

  it('goes, and what the owner wrote meanwhile stays', async () => {
    await patch(1, 'p-a', { description: 'A was here' });
    await patch(1, 'p-owner', { extra: { rack: 'r2' } });
    await patch(1, 'p-owner', { lessee: null });
    expect(await node(1)).toMatchObject({ description: 'the owner’s', extra: { rack: 'r2' } });
  });

  it('goes, and what the owner wrote over it since stays, member by member', async () => {
    await patch(1, 'p-a', { description: 'A was here', extra: { rack: 'A', secret: 'A', a: 1 } });
    await patch(1, 'p-owner', {
      description: 'moved to row 3',
      extra: { rack: 'r2', secret: 'A', row: 3 },
    });
    await patch(1, 'p-owner', { lessee: 'p-b' });
    expect(await node(1)).toMatchObject({ description: 'moved to row 3' });
    expect((await node(1)).extra).toEqual({ rack: 'r2', row: 3 });
    expect(await records()).toMatchObject([{ sealed: { extra: { secret: 'A' } } }]);
  });

  it('goes although the system wrote what is to be deployed for it', async () => {
    await patch(1, 'p-a', { instance_info: { image_source: 'http://a.example/a' } });
    const info = { image_source: 'http://a.example/a', root_gb: 10 };
    await patch(1, 'p-owner', { instance_info: info });
    await patch(1, 'p-owner', { lessee: 'p-b' });
    expect((await node(1)).instance_info).toEqual({});
  });

  it('says nothing of how its machine is cleaned', async () => {
    await isUsedBy('p-a');
    await patch(1, 'p-a', { automated_clean: false });
    await patch(1, 'p-owner', { lessee: 'p-b' });
    expect(await records()).toMatchObject([{ plan: { undeploy: true, clean: true } }]);
  });

  it('gives way to what the same request sets', async () => {
    await patch(1, 'p-a', { description: 'A was here', extra: { a: 1 } });
    await patch(1, 'p-owner', { lessee: 'p-b', description: 'for B' });
    expect(await node(1)).toMatchObject({ description: 'for B', extra: OWNERS });
  });

  it('does not come back with the tenancy after the next', async () => {
    await patch(1, 'p-a', { description: 'A was here' });
    await patch(1, 'p-owner', { lessee: 'p-b' });
    await patch(1, 'p-b', { description: 'B was here' });
    await patch(1, 'p-owner', { lessee: null });
    expect(await node(1)).toMatchObject({ description: 'the owner’s' });
    expect((await records()).map(({ from_project: from, sealed }) => [from, sealed])).toEqual([
      ['p-a', { description: 'A was here' }],
      ['p-b', { description: 'B was here' }],
    ]);
  });

  it('keeps nobody from getting the machine: a name that was taken meanwhile is not put back', async () => {
    await patch(1, 'p-a', { name: 'free-again' });
    await addNode(2, { name: 'other' });
    expect((await patch(2, 'p-owner', { name: 'n1' })).status).toBe(200);
    expect((await patch(1, 'p-owner', { lessee: null })).status).toBe(200);
    expect(await node(1)).toMatchObject({ name: null, lessee: null });
  });

  it('leaves with it the volumes that it hung on the machine', async () => {
    await add('volume_targets', 5, { node_uuid: uuidOf(1), boot_index: 1, volume_id: 'v-1' });
    const made = await create(
      'volume_targets',
      1,
      { node_uuid: uuidOf(1), volume_type: 'iscsi', boot_index: 0, volume_id: 'v-0' },
      { subject: memberOf('p-a') },
    );
    expect(made.status).toBe(201);
    await patch(1, 'p-owner', { lessee: null });
    const { uuid } = made.body as { readonly uuid: string };
    expect(await app.stores.resources.volume_targets.findBy('uuid', uuid)).toBeUndefined();
    expect(await stored('volume_targets', 5)).toBeDefined();
  });
});

describe('volumes that a tenant hung on a machine', () => {
  const hang = async (number: number, by: string, boot_index: number): Promise<string> => {
    const made = await create(
      'volume_targets',
      number,
      {
        node_uuid: uuidOf(number),
        volume_type: 'iscsi',
        boot_index,
        volume_id: `v-${String(boot_index)}-${by}`,
      },
      { subject: memberOf(by) },
    );
    expect(made.status).toBe(201);
    return (made.body as { readonly uuid: string }).uuid;
  };
  const isThere = async (uuid: string): Promise<boolean> =>
    (await app.stores.resources.volume_targets.findBy('uuid', uuid)) !== undefined;

  it('go when the lessee of an instance goes with it', async () => {
    await addNode(2, { owner: 'p-owner', lessee: 'p-a', provision_state: 'active' });
    const volume = await hang(2, 'p-a', 0);
    await order(2, { subject: memberOf('p-a') }, { provision_state: 'deleting' });
    expect(await isThere(volume)).toBe(true);
    expect(await app.stores.claims.list(EVERYTHING)).toHaveLength(1);
    const conductor = { subject: null, action: 'tenure:conductor:recover' };
    await order(2, conductor, { provision_state: 'cleaning', lessee: null });
    expect(await isThere(volume)).toBe(false);
    expect(await app.stores.claims.list(EVERYTHING)).toEqual([]);
  });

  it('go when the machine is given on while the instance is undeployed', async () => {
    await addNode(2, { owner: 'p-owner', lessee: 'p-a', provision_state: 'active' });
    const volume = await hang(2, 'p-a', 0);
    await order(2, { subject: memberOf('p-a') }, { provision_state: 'deleting' });
    await patch(2, 'p-owner', { lessee: 'p-b' });
    expect(await isThere(volume)).toBe(false);
  });

  it('stay when its instance is undeployed and it keeps the machine', async () => {
    await addNode(2, { owner: 'p-owner', lessee: 'p-a', provision_state: 'active' });
    const volume = await hang(2, 'p-a', 0);
    await order(2, { subject: memberOf('p-a') }, { provision_state: 'deleting' });
    await cleaned(2);
    await applyChange(2, await lock(2), { provision_state: 'available' });
    expect(await node(2)).toMatchObject({ handover_uuid: null });
    expect(await isThere(volume)).toBe(true);
  });

  it('go with the owner, be they the lessee’s or its own', async () => {
    await addNode(2, { owner: 'p-owner', lessee: 'p-a', provision_state: 'active' });
    const volumes = [await hang(2, 'p-a', 0), await hang(2, 'p-owner', 1)];
    await patch(2, 'p-owner', { owner: 'p-new' });
    expect(await Promise.all(volumes.map(isThere))).toEqual([false, false]);
    const next = await hang(2, 'p-new', 0);
    await say(2, 'report', { status: 'open', phase: 'undeploying' });
    await cleaned(2);
    expect((await say(2, 'complete')).status).toBe(200);
    expect(await isThere(next)).toBe(true);
  });

  it('are its own when it has the machine once more before it was handed over', async () => {
    await isUsedBy('p-a');
    await patch(1, 'p-owner', { lessee: null });
    await patch(1, 'p-owner', { lessee: 'p-a' });
    const volume = await hang(1, 'p-a', 0);
    await cleaned(1);
    expect((await say(1, 'complete')).status).toBe(200);
    expect(await isThere(volume)).toBe(true);
  });
});

describe('a VIF that is attached to a machine', () => {
  const vif = '0b1c2d3e-0000-4000-8000-000000000001';

  it('is seen by no tenant after the one that attached it, and may be attached elsewhere at once', async () => {
    await isUsedBy('p-a');
    const info = { tenant_vif_port_id: vif, other: 1 };
    await app.call({
      from: 'cli',
      method: 'POST',
      target: '/internal/import',
      body: {
        ports: [
          {
            uuid: uuidOf(31),
            address: '52:54:00:00:00:31',
            node_uuid: uuidOf(1),
            internal_info: info,
          },
        ],
      },
    });
    expect(await stored('ports', 31)).toMatchObject({ internal_info: info });
    await patch(1, 'p-owner', { lessee: 'p-b' });
    expect(await stored('ports', 31)).toMatchObject({ internal_info: { other: 1 } });
    expect(await app.stores.claims.findBy('uuid', `vif:${vif}`)).toBeUndefined();
    expect(await records()).toMatchObject([
      { steps: [{ step: 'volumes' }, { step: 'vifs', outcome: 'done' }] },
    ]);
  });
});

describe('settings of the hardware that a tenant changed', () => {
  it('are still to be put back although the next tenant is named in a request of its own', async () => {
    const before = { boot_mode: 'uefi' };
    await order(
      1,
      { subject: memberOf('p-a') },
      {
        driver_internal_info: { custody_before: before },
      },
    );
    await patch(1, 'p-owner', { lessee: null });
    await patch(1, 'p-owner', { lessee: 'p-b' });
    expect(await node(1)).toMatchObject({
      lessee: 'p-b',
      handover_uuid: expect.any(String),
      driver_internal_info: { custody_before: before },
    });
  });
});

describe('a machine that nobody used', () => {
  it('is handed over with the request: the next tenant may use it at once', async () => {
    await patch(1, 'p-owner', { lessee: 'p-b' });
    expect(await node(1)).toMatchObject({ handover_uuid: null });
    expect(await records()).toMatchObject([
      {
        status: 'complete',
        plan: { undeploy: false, clean: false },
        steps: [
          { step: 'volumes', outcome: 'nothing_to_do' },
          { step: 'power_off', outcome: 'nothing_to_do' },
          { step: 'clean', outcome: 'nothing_to_do' },
        ],
      },
    ]);
    const b = { subject: memberOf('p-b'), obligations: UNTIL_HANDED_OVER };
    expect((await order(1, b)).status).toBe(200);
  });

  it('is not one that runs, or has an instance', async () => {
    await addNode(2, { owner: 'p-owner', lessee: 'p-a', power_state: 'power on' });
    await addNode(3, { owner: 'p-owner', lessee: 'p-a', provision_state: 'active' });
    for (const number of [2, 3]) {
      await patch(number, 'p-owner', { lessee: null });
      expect(await node(number)).toMatchObject({ handover_uuid: expect.any(String) });
    }
  });

  it('is nothing to hand over when it had no tenant', async () => {
    await addNode(2, { owner: 'p-owner', provision_state: 'active', power_state: 'power on' });
    await patch(2, 'p-owner', { lessee: 'p-a' });
    expect(await node(2)).toMatchObject({ handover_uuid: null });
    expect(await records()).toEqual([]);
  });
});

describe('a machine that its tenant used', () => {
  beforeEach(async () => {
    await isUsedBy('p-a');
    await patch(1, 'p-owner', { lessee: 'p-b' });
  });

  it('is seen by the next tenant at once, and used only once it is handed over', async () => {
    expect(await node(1)).toMatchObject({ lessee: 'p-b', handover_uuid: expect.any(String) });
    expect((await patch(1, 'p-b', { description: 'mine now' })).status).toBe(200);
    const b = { subject: memberOf('p-b'), obligations: UNTIL_HANDED_OVER };
    const refused = await order(1, b);
    expect([refused.status, (refused.body as { code: string }).code]).toEqual([
      409,
      'node_in_handover',
    ]);
    await cleaned(1);
    expect((await say(1, 'complete')).status).toBe(200);
    expect((await order(1, b)).status).toBe(200);
    expect(await node(1)).toMatchObject({ description: 'mine now' });
  });

  it('is used meanwhile by its owner, and by no service that acts for tenants', async () => {
    expect((await order(1, { subject: memberOf('p-owner') })).status).toBe(200);
    expect((await order(1, { subject: null })).status).toBe(409);
    const asker = { ...memberOf('p-owner'), project_id: null, roles: [] };
    const start = { subject: asker, action: 'os_compute_api:servers:start' };
    expect((await order(1, start)).status).toBe(409);
    expect((await order(1, { subject: null, action: 'tenure:conductor:handover' })).status).toBe(
      200,
    );
  });

  it('is no candidate, and no lease begins on it', async () => {
    expect(await candidates()).toEqual({ nodes: [] });
    await patch(1, 'p-owner', { lessee: null });
    expect((await lend({ end_time: '2026-11-21T09:00:00+00:00' })).body).toMatchObject({
      status: 'pending',
    });
    expect(await round()).toEqual({ begun: 0 });
    await cleaned(1);
    await say(1, 'complete');
    expect(await round()).toEqual({ begun: 1 });
  });

  it('is not handed over before the conductor has done what was planned', async () => {
    // Cleaning was ordered in the last two; nothing says that it ended well.
    for (const phase of [null, 'cleared', 'undeploying', 'cleaning']) {
      await say(1, 'report', { status: 'open', phase });
      expect((await say(1, 'complete')).status).toBe(409);
    }
    expect(await records()).toMatchObject([{ status: 'open', phase: 'cleaning' }]);
  });

  it('is not handed over although the write that ends cleaning says so, when nothing says that it was cleaned', async () => {
    const set = { provision_state: 'available' };
    await say(1, 'report', { status: 'open', phase: 'cleaning' });
    const taken = await lock(1);
    expect((await applyChange(1, taken, set)).status).toBe(200);
    expect(await node(1)).toMatchObject({ handover_uuid: expect.any(String), reservation: null });
    expect(await records()).toMatchObject([{ status: 'open' }]);
  });

  it('says what failed, and the same report twice is as one', async () => {
    const at = '2026-11-21T08:00:00+00:00';
    const steps = [{ step: 'power_off', outcome: 'failed', at, detail: null }];
    const said = { status: 'failed', reason: 'No.', steps };
    await say(1, 'report', said);
    await say(1, 'report', said);
    expect(await records()).toMatchObject([
      { status: 'failed', reason: 'No.', steps: [{ step: 'volumes' }, ...steps] },
    ]);
    expect(await candidates()).toEqual({ nodes: [] });
  });

  it('given on once more is handed over once, with a record of each tenancy', async () => {
    await patch(1, 'p-b', { description: 'B was here' });
    await patch(1, 'p-owner', { lessee: 'p-c' });
    expect(await node(1)).toMatchObject({ lessee: 'p-c', description: 'the owner’s' });
    await cleaned(1);
    await say(1, 'complete');
    expect(await node(1)).toMatchObject({ handover_uuid: null });
    const all = await records();
    expect(all.map(({ from_project: from, to_project: to, status }) => [from, to, status])).toEqual(
      [
        ['p-a', 'p-b', 'complete'],
        ['p-b', 'p-c', 'complete'],
      ],
    );
    expect(JSON.stringify(all[0]?.sealed)).not.toContain('B was here');
  });

  it('is listed for conductors until it is handed over', async () => {
    const target = '/internal/nodes?handover=open';
    expect((await app.call({ from: 'conductor', target })).body).toMatchObject({
      nodes: [{ uuid: uuidOf(1) }],
    });
    expect((await app.call({ from: 'gateway', target })).status).toBe(403);
  });
});

describe('a machine that is not enrolled yet', () => {
  it('is handed over once it is cleared: it is cleaned on its way into use', async () => {
    const on = { power_state: 'power on', provision_state: 'enroll' };
    await addNode(2, { owner: 'p-owner', lessee: 'p-a', ...on });
    await patch(2, 'p-owner', { lessee: null });
    await say(2, 'report', { status: 'open', phase: 'cleared' });
    expect((await say(2, 'complete')).status).toBe(200);
    expect(await node(2)).toMatchObject({ handover_uuid: null });
  });
});

describe('what a former tenant had allocated', () => {
  it('is removed with the handover, and does not come back when the next tenancy ends', async () => {
    const uuid = uuidOf(77);
    const at = '2026-11-21T07:00:00+00:00';
    await app.call({
      from: 'cli',
      method: 'POST',
      target: '/internal/import',
      body: { allocations: [{ uuid, owner: 'p-a', node_uuid: uuidOf(1), created_at: at }] },
    });
    expect(await node(1)).toMatchObject({ allocation_uuid: uuid, instance_uuid: uuid });
    await patch(1, 'p-owner', { lessee: 'p-b' });
    await cleaned(1);
    await say(1, 'complete');
    const free = { allocation_uuid: null, instance_uuid: null };
    expect(await node(1)).toMatchObject({ lessee: 'p-b', ...free });
    expect(await app.stores.allocations.findBy('uuid', uuid)).toBeUndefined();
    await patch(1, 'p-owner', { lessee: null });
    expect(await node(1)).toMatchObject({ lessee: null, ...free });
  });
});

describe('a new owner', () => {
  it('gets the machine without a word of the old one, and without its lessee', async () => {
    const failed = 'Failed to deploy http://owner.example/a.img';
    await order(1, { subject: memberOf('p-owner') }, { last_error: failed });
    await patch(1, 'p-owner', { owner: 'p-new' });
    expect(await node(1)).toMatchObject({
      owner: 'p-new',
      lessee: null,
      last_error: null,
      extra: {},
      description: null,
      instance_info: {},
    });
    expect(await records()).toMatchObject([
      { cause: 'owner_changed', owner: 'p-owner', from_project: 'p-a', to_project: 'p-new' },
    ]);
  });

  it('gets it from the old one when that had it itself', async () => {
    await patch(1, 'p-owner', { lessee: null });
    await patch(1, 'p-owner', { owner: 'p-new' });
    const [, changed] = await records();
    expect(changed).toMatchObject({ cause: 'owner_changed', from_project: 'p-owner' });
  });

  it('may name its lessee, and its own values, in the same request', async () => {
    await patch(1, 'p-owner', { owner: 'p-new', lessee: 'p-a', extra: { rack: 'r9' } });
    expect(await node(1)).toMatchObject({ lessee: 'p-a', extra: { rack: 'r9' } });
  });
});

describe('an undeployment', () => {
  const anInstance = async (): Promise<void> => {
    await addNode(2, { owner: 'p-owner', lessee: 'p-a', provision_state: 'active' });
  };
  const deleting = { provision_state: 'deleting', target_provision_state: 'available' };

  it('opens a handover with the write that accepts it; it is over with the write that ends it', async () => {
    await anInstance();
    const a = { subject: memberOf('p-a'), obligations: UNTIL_HANDED_OVER };
    await order(2, a, deleting);
    const { handover_uuid: handover } = await node(2);
    expect(await records()).toMatchObject([
      { uuid: handover, cause: 'undeploy', from_project: 'p-a', status: 'open' },
    ]);
    await cleaned(2);
    const set = { provision_state: 'available', target_provision_state: null };
    await applyChange(2, await lock(2), set);
    expect(await node(2)).toMatchObject({
      provision_state: 'available',
      reservation: null,
      handover_uuid: null,
    });
    expect(await records()).toMatchObject([{ uuid: handover, status: 'complete' }]);
    expect((await order(2, a)).status).toBe(200);
  });

  it('whose lessee goes with it is one handover, not two', async () => {
    await anInstance();
    await order(2, { subject: memberOf('p-a') }, deleting);
    await order(
      2,
      { subject: null, action: 'tenure:conductor:recover' },
      {
        provision_state: 'cleaning',
        lessee: null,
        instance_info: {},
      },
    );
    expect(await node(2)).toMatchObject({ lessee: null, instance_info: {} });
    expect(await records()).toHaveLength(1);
  });
});

describe('a handover that a service opens', () => {
  const deleting = { provision_state: 'deleting' };

  beforeEach(async () => {
    await addNode(2, { owner: 'p-owner', lessee: 'p-a', provision_state: 'active' });
  });

  it('names the request that it carries out, by which the decision is found', async () => {
    const subject = { ...memberOf('p-a'), project_id: null, roles: [] };
    const context = {
      subject,
      action: 'os_compute_api:servers:delete',
      request_id: 'req-undeploy',
      decision_id: null,
    };
    await order(2, context, deleting);
    expect(await records()).toMatchObject([
      { cause: 'undeploy', user_id: 'u-p-a', request_id: 'req-undeploy', decision_id: null },
    ]);
  });

  it('names no request when a conductor opens it by itself', async () => {
    await order(2, { subject: null, action: 'tenure:conductor:handover' }, deleting);
    expect(await records()).toMatchObject([{ user_id: null, request_id: null, decision_id: null }]);
  });
});

describe('the end of a lease', () => {
  const END = '2026-11-21T09:00:00+00:00';
  const LATER = '2026-11-21T09:00:30.000Z';

  beforeEach(async () => {
    await patch(1, 'p-owner', { lessee: null });
    await lend({ end_time: END });
    await patch(1, 'p-lessee', { description: 'the lessee’s', extra: { l: 1 } });
  });

  it('removes the lessee’s values at that very moment, whoever reads', async () => {
    app.setNow(LATER);
    const { body } = await app.onNode(uuidOf(1), {
      context: { resources: [], obligations: seesAll },
    });
    expect(body).toBeDefined();
    expect(await node(1)).toMatchObject({
      lessee: null,
      description: 'the owner’s',
      extra: OWNERS,
      handover_uuid: expect.any(String),
    });
    expect(await candidates()).toEqual({ nodes: [] });
  });

  it('keeps them sealed with the lease, which waits for the handover', async () => {
    const lease = await leaseIn(1);
    expect(await app.stores.leases.findBy('uuid', lease)).toMatchObject({ sealed: null });
    await end(lease);
    expect(await app.stores.leases.findBy('uuid', lease)).toMatchObject({
      status: 'ending',
      sealed: { description: 'the lessee’s', extra: { l: 1 } },
    });
    expect((await report(lease, { status: 'ended' })).status).toBe(409);
    await cleaned(1);
    await say(1, 'complete');
    expect(await app.stores.leases.findBy('uuid', lease)).toMatchObject({ status: 'ended' });
    expect(await node(1)).toMatchObject({ lease_uuid: null, handover_uuid: null });
    expect(await records()).toMatchObject([
      { cause: 'lessee_changed' },
      { uuid: handoverOfLease(lease), cause: 'lease_end', lease_uuid: lease, status: 'complete' },
    ]);
  });

  it('is one handover, whoever notices it first, and although a crash kept its record from being made', async () => {
    const lease = await leaseIn(1);
    app.setNow(LATER);
    await order(1, { subject: memberOf('p-owner') });
    const handover = handoverOfLease(lease);
    const record = await app.stores.handovers.findBy('uuid', handover);
    await app.stores.handovers.remove(handover, record?.revision ?? 0, 0);
    const target = `/internal/handovers/${handover}`;
    expect((await app.call({ from: 'conductor', target })).body).toMatchObject({
      uuid: handover,
      cause: 'lease_end',
      sealed: { description: 'the lessee’s' },
    });
    await report(lease, { status: 'ending' });
    expect(await records()).toHaveLength(2);
  });

  it('is handed over also when it was ended by a release that knew no handovers', async () => {
    const lease = await leaseIn(1);
    app.setNow(LATER);
    const before = await app.stores.nodes.findBy('uuid', uuidOf(1));
    if (before === undefined) throw new Error('there is no node 1');
    const as = { lessee: null, lessee_until: null, revision: before.revision + 1 };
    await app.stores.nodes.swap({ ...before, ...as }, before.revision);
    const found = await app.stores.leases.findBy('uuid', lease);
    if (found === undefined) throw new Error('there is no lease');
    const ending = { status: 'ending', revision: found.revision + 1 } as const;
    await app.stores.leases.swap({ ...found, ...ending }, found.revision);
    expect((await report(lease, { status: 'ended' })).status).toBe(409);
    expect(await node(1)).toMatchObject({ handover_uuid: handoverOfLease(lease) });
  });
});

describe('the end of a lease while its machine is cleaned for an undeployment', () => {
  it('is handed over for itself, and each record contains the work that was done for it', async () => {
    await patch(1, 'p-owner', { lessee: null });
    await lend({ end_time: '2026-11-21T09:00:00+00:00' });
    const lease = await leaseIn(1);
    await order(1, { subject: memberOf('p-lessee') }, { provision_state: 'deleting' });
    await cleaned(1);
    const taken = await lock(1);
    app.setNow('2026-11-21T09:00:30.000Z');
    expect((await applyChange(1, taken, { provision_state: 'available' })).status).toBe(200);
    expect(await node(1)).toMatchObject({ lessee: null, handover_uuid: handoverOfLease(lease) });
    expect(await app.stores.leases.findBy('uuid', lease)).not.toMatchObject({ status: 'ended' });
    const at = '2026-11-21T09:01:00+00:00';
    const off = { step: 'power_off', outcome: 'done', at, detail: null };
    await say(1, 'report', { status: 'open', steps: [off] });
    await cleaned(1);
    expect((await say(1, 'complete')).status).toBe(200);
    const [, undeploy, ended] = await records();
    expect(undeploy).toMatchObject({ cause: 'undeploy', status: 'complete' });
    expect(undeploy?.steps.map(({ step }) => step)).toEqual(['clean', 'volumes', 'power_off']);
    expect(ended).toMatchObject({ cause: 'lease_end', status: 'complete' });
    expect(ended?.steps.map(({ step }) => step)).toEqual(['volumes', 'power_off', 'clean']);
  });
});

describe('what a node carries between its tenancies', () => {
  it('is visible to nobody', async () => {
    await isUsedBy('p-a');
    await patch(1, 'p-owner', { lessee: null });
    const { body } = await app.onNode(uuidOf(1), {});
    expect(Object.keys(body as object).filter((name) => /handover|custody/u.test(name))).toEqual(
      [],
    );
    const refused = await patch(1, 'p-owner', { custody: {} });
    expect([refused.status, faultOf(refused).slice(0, 21)]).toEqual([400, 'Cannot patch /custody']);
  });

  it('is not undone by an export from before: what is complete stays complete', async () => {
    await isUsedBy('p-a');
    await patch(1, 'p-owner', { lessee: null });
    const { body } = await app.call({
      from: 'cli',
      target: '/internal/export?section=handovers&limit=10',
    });
    await cleaned(1);
    await say(1, 'complete');
    const [complete] = await records();
    await app.call({
      from: 'cli',
      method: 'POST',
      target: '/internal/import',
      body: { handovers: (body as { readonly rows: unknown }).rows },
    });
    const { revision, ...kept } = complete ?? { revision: 0 };
    expect(await records()).toEqual([{ ...kept, revision: revision + 1 }]);
  });

  it('is restored by an import of an export', async () => {
    await patch(1, 'p-a', { description: 'A was here' });
    await isUsedBy('p-a');
    await patch(1, 'p-owner', { lessee: null });
    const exported = async (section: string): Promise<unknown> =>
      (
        (await app.call({ from: 'cli', target: `/internal/export?section=${section}&limit=10` }))
          .body as { readonly rows: unknown }
      ).rows;
    const document = { nodes: await exported('nodes'), handovers: await exported('handovers') };
    const other = await startTestApp();
    try {
      const body = document;
      const done = await other.call({
        from: 'cli',
        method: 'POST',
        target: '/internal/import',
        body,
      });
      expect([done.status, done.body]).toEqual([200, { imported: { nodes: 1, handovers: 1 } }]);
      expect(await other.stores.handovers.list(EVERYTHING)).toMatchObject([
        { status: 'open', sealed: { description: 'A was here' } },
      ]);
      const before = await app.stores.nodes.findBy('uuid', uuidOf(1));
      expect(await other.stores.nodes.findBy('uuid', uuidOf(1))).toMatchObject({
        handover_uuid: before?.handover_uuid,
        custody: before?.custody,
      });
    } finally {
      await other.close();
    }
  });
});
