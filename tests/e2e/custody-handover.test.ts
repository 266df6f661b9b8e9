import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { availableNode, type FleetNode, nodeOf, stableNode } from '../support/fleet.js';
import { type Answer, askLatest, faultString } from '../support/http-client.js';
import { portOn } from '../support/node-parts.js';
import { replaces } from '../support/patch.js';
import { inProject, newProject, type Persona, systemAdmin } from '../support/personas.js';
import { sharedTenure, type Tenure } from '../support/tenure.js';
import { eventually } from '../support/wait.js';

const ownerProject = newProject('custody-owner');
const projectA = newProject('custody-a');
const projectB = newProject('custody-b');
const owner = inProject(ownerProject, 'admin');
/** The attacker has no more than the roles of its project, and the machine while it leases it. */
const attacker = inProject(projectA, 'admin');
const next = inProject(projectB, 'admin');

type Fields = Readonly<Record<string, unknown>>;

let tenure: Tenure;

beforeAll(async () => {
  tenure = await sharedTenure();
  for (const who of [owner, attacker, next, systemAdmin]) await tenure.token(who);
});

const OWNERS = {
  description: 'rack 7',
  extra: { rack: '7' },
  instance_info: {},
  network_data: {},
};
const CANARY = 'A-SECRET';

const call = (who: Persona, line: string, body?: unknown): Promise<Answer> =>
  askLatest(tenure, who, line, body);
const statusFor = async (who: Persona, line: string, body?: unknown): Promise<number> =>
  (await call(who, line, body)).status;

async function machine(fields: Fields = {}): Promise<FleetNode> {
  const node = availableNode(newProject('custody'), {
    owner: ownerProject,
    lessee: projectA,
    resource_class: newProject('class'),
    ...OWNERS,
    ...fields,
  });
  await tenure.importDocument({ nodes: [node], ports: [portOn(node)] });
  return node;
}

const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString();

/** Everything that a lessee may write, written. */
async function plants({ uuid }: FleetNode): Promise<void> {
  const path = `PATCH /v1/nodes/${uuid}`;
  const residue: Fields = {
    extra: { secret: CANARY },
    description: CANARY,
    instance_info: {
      image_source: `http://a.example/${CANARY}.img`,
      image_checksum: 'd41d8cd98f00b204e9800998ecf8427e',
      configdrive: CANARY,
    },
  };
  for (const [field, value] of Object.entries(residue))
    expect([field, await statusFor(attacker, path, replaces(field, value))]).toEqual([field, 200]);
  // Fields that a lessee may not write are not written either.
  const closed = {
    name: CANARY,
    network_data: { links: [] },
    'instance_info/project_id': projectA,
  };
  for (const [field, value] of Object.entries(closed))
    expect([field, await statusFor(attacker, path, replaces(field, value))]).toEqual([field, 403]);
  expect(await statusFor(attacker, `PUT /v1/nodes/${uuid}/traits`, { traits: ['CUSTOM_A'] })).toBe(
    403,
  );
}

async function relabelled({ uuid }: FleetNode, lessee: string | null): Promise<void> {
  expect(await statusFor(owner, `PATCH /v1/nodes/${uuid}`, replaces('lessee', lessee))).toBe(200);
}

const seenBy = async (who: Persona, { uuid }: FleetNode): Promise<Fields> =>
  (await call(who, `GET /v1/nodes/${uuid}`)).json as Fields;

const powerOn = ({ uuid }: FleetNode, who: Persona): Promise<Answer> =>
  call(who, `PUT /v1/nodes/${uuid}/states/power`, { target: 'power on' });

/** Waits until the machine may be used by its lessee. */
const isHandedOver = (node: FleetNode, who: Persona, within = 40_000): Promise<Answer> =>
  eventually(
    () => powerOn(node, who),
    ({ status }) => status === 202,
    { within, every: 500, what: `machine ${node.uuid} that is handed over` },
  );

describe('residue', () => {
  it('of a lessee is read by nobody who leases the machine next', async () => {
    const node = await machine();
    await plants(node);
    await relabelled(node, projectB);
    for (const who of [next, owner]) {
      const seen = await seenBy(who, node);
      expect(seen).toMatchObject({ ...OWNERS, name: node.name, lessee: projectB, traits: [] });
      expect(JSON.stringify(seen)).not.toContain(CANARY);
    }
    expect(await statusFor(attacker, `GET /v1/nodes/${node.uuid}`)).toBe(404);
  });

  it('of a lease is removed at its end, and kept with the lease for its lessee and its owner alone', async () => {
    const node = await machine({ lessee: null });
    const end = inSeconds(10);
    const lent = await call(owner, 'POST /v1/leases', {
      node_uuid: node.uuid,
      lessee: projectA,
      end_time: end,
    });
    const { uuid: lease } = lent.json as { readonly uuid: string };
    await plants(node);
    await eventually(
      () => Date.now(),
      (now) => now > Date.parse(end) + 1000,
    );
    expect(await seenBy(owner, node)).toMatchObject({ ...OWNERS, lessee: null });
    const ended = await eventually(
      () => call(attacker, `GET /v1/leases/${lease}`),
      ({ json }) => (json as Fields)['status'] === 'ended',
      { within: 40_000, what: `end of lease ${lease}` },
    );
    expect(ended.json).toMatchObject({
      sealed: {
        description: CANARY,
        extra: { secret: CANARY },
        instance_info: { configdrive: '******' },
      },
    });
    expect((await call(owner, `GET /v1/leases/${lease}`)).json).toMatchObject({
      sealed: { description: CANARY },
    });
    expect(await statusFor(next, `GET /v1/leases/${lease}`)).toBe(404);
  });

  it('is booted by nobody: neither the image nor the config drive of a former lessee', async () => {
    const node = await machine();
    await plants(node);
    await relabelled(node, projectB);
    const path = `PUT /v1/nodes/${node.uuid}/states/provision`;
    expect(await statusFor(next, path, { target: 'active' })).toBe(202);
    const deployed = await eventually(
      () => seenBy(next, node),
      (one) => one['provision_state'] === 'active',
      { what: 'deployed machine' },
    );
    expect(deployed).toMatchObject({ lessee: projectB });
    expect(JSON.stringify(await nodeOf(tenure, node.uuid))).not.toContain(CANARY);
  });

  it('does not bring a former lessee back when the owner deploys its own machine', async () => {
    const node = await machine();
    await plants(node);
    await relabelled(node, null);
    const path = `PUT /v1/nodes/${node.uuid}/states/provision`;
    expect(await statusFor(owner, path, { target: 'active' })).toBe(202);
    await eventually(
      () => nodeOf(tenure, node.uuid),
      (one) => one['provision_state'] === 'active',
      { what: 'deployed machine' },
    );
    expect(await nodeOf(tenure, node.uuid)).toMatchObject({ lessee: null });
    expect(await statusFor(attacker, `GET /v1/nodes/${node.uuid}`)).toBe(404);
    expect(await statusFor(attacker, path, { target: 'deleted' })).toBe(404);
  });
});

describe('a machine that its lessee used', () => {
  it('is switched off, emptied and cleaned before the next one may use it', async () => {
    const node = await machine();
    const path = `/v1/nodes/${node.uuid}`;
    expect((await powerOn(node, attacker)).status).toBe(202);
    await stableNode(tenure, node.uuid);
    expect(await statusFor(attacker, `POST ${path}/vifs`, { id: randomUUID() })).toBe(204);
    expect(
      await statusFor(attacker, `POST ${path}/vmedia`, {
        device_type: 'cdrom',
        image_url: 'http://a.example/boot.iso',
      }),
    ).toBe(204);
    expect(await statusFor(attacker, `PUT ${path}/states/boot_mode`, { target: 'bios' })).toBe(202);
    await stableNode(tenure, node.uuid);
    expect(await seenBy(systemAdmin, node)).toMatchObject({
      boot_mode: 'bios',
      power_state: 'power on',
    });
    await relabelled(node, projectB);
    expect(await seenBy(next, node)).toMatchObject({ lessee: projectB });
    const refused = await powerOn(node, next);
    expect([refused.status, faultString(refused.text)]).toEqual([
      409,
      expect.stringMatching(/is being handed over|is locked/u),
    ]);
    const provision = { target: 'active' };
    expect(await statusFor(next, `PUT ${path}/states/provision`, provision)).toBe(409);
    await eventually(
      () => seenBy(systemAdmin, node),
      (one) =>
        one['provision_state'] === 'available' &&
        one['power_state'] === 'power off' &&
        one['boot_mode'] === 'uefi' &&
        one['reservation'] === null,
      { within: 40_000, what: 'cleared machine' },
    );
    expect((await call(systemAdmin, `GET ${path}/vifs`)).json).toEqual({ vifs: [] });
    expect(JSON.stringify((await call(systemAdmin, `GET ${path}/vmedia`)).json)).not.toContain(
      'a.example',
    );
    expect((await isHandedOver(node, next)).status).toBe(202);
  });

  it('stays with its owner while its hardware fails, and nobody gets it until that is mended', async () => {
    const node = await machine({ power_state: 'power on' });
    const path = `/v1/nodes/${node.uuid}`;
    const fails = replaces('driver_info', { fake_failure: 'power' });
    expect(await statusFor(systemAdmin, `PATCH ${path}`, fails)).toBe(200);
    await relabelled(node, null);
    const wanted = { resource_class: node['resource_class'], candidate_nodes: [node.uuid] };
    const { json } = await call(owner, 'POST /v1/allocations', wanted);
    const { uuid } = json as { readonly uuid: string };
    const failed = await eventually(
      () => call(owner, `GET /v1/allocations/${uuid}`),
      (answer) => (answer.json as Fields)['state'] === 'error',
      { within: 20_000, what: 'allocation that finds no machine' },
    );
    expect(failed.json).toMatchObject({ node_uuid: null });
    expect(await nodeOf(tenure, node.uuid)).toMatchObject({ power_state: 'power on' });
    const lent = { node_uuid: node.uuid, lessee: projectB, end_time: inSeconds(3600) };
    expect((await call(owner, 'POST /v1/leases', lent)).json).toMatchObject({ status: 'pending' });
    const mended = replaces('driver_info', {});
    expect(await statusFor(systemAdmin, `PATCH ${path}`, mended)).toBe(200);
    // It is tried again every 30 seconds.
    await eventually(
      () => statusFor(next, `GET ${path}`),
      (status) => status === 200,
      { within: 55_000, every: 1000, what: 'lease that begins' },
    );
    expect(await nodeOf(tenure, node.uuid)).toMatchObject({ power_state: 'power off' });
    expect((await powerOn(node, next)).status).toBe(202);
  });

  it('that cannot be cleaned says so, and is not handed over because its owner made it manageable', async () => {
    const node = await machine({ power_state: 'power on' });
    const path = `/v1/nodes/${node.uuid}`;
    const fails = replaces('driver_info', { fake_failure: 'clean' });
    expect(await statusFor(systemAdmin, `PATCH ${path}`, fails)).toBe(200);
    await relabelled(node, projectB);
    const handover = async (): Promise<Fields> => {
      const { json } = await call(owner, `GET ${path}/handovers?detail=true`);
      const [first = {}] = (json as { readonly handovers: readonly Fields[] }).handovers;
      return first;
    };
    const isUncleaned = async (): Promise<void> => {
      await eventually(
        () => nodeOf(tenure, node.uuid),
        (one) => one['provision_state'] === 'clean failed' && one['reservation'] === null,
        { within: 20_000, every: 50, what: 'machine that could not be cleaned' },
      );
    };
    await isUncleaned();
    const manages = { target: 'manage' };
    expect(await statusFor(owner, `PUT ${path}/states/provision`, manages)).toBe(202);
    await eventually(handover, ({ status }) => status === 'failed', {
      within: 50_000,
      what: 'handover that failed',
    });
    expect(await handover()).toMatchObject({
      reason: 'The node could not be cleaned.',
      completed_at: null,
      steps: expect.arrayContaining([
        expect.objectContaining({ step: 'clean', outcome: 'failed' }),
      ]),
    });
    expect((await powerOn(node, next)).status).toBe(409);
  });
});
