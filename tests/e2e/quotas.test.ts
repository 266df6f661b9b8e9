import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CommandLine, commandLine } from '../support/clients-command-line.js';
import { type Clients, startClients } from '../support/clients.js';
import { availableNode, type FleetNode } from '../support/fleet.js';
import { type Answer, askLatest, faultString } from '../support/http-client.js';
import { newMac, portOn } from '../support/node-parts.js';
import { inProject, newProject, type Persona } from '../support/personas.js';
import {
  askNova,
  createServer,
  deletedServer,
  IMAGE,
  type Members,
  novaFault,
  stableServer,
} from '../support/servers.js';
import { startTenure, type Tenure } from '../support/tenure.js';
import { eventually } from '../support/wait.js';

// Budgets, set with the real command line and exceeded by the real clients.

let tenure: Tenure;
let clients: Clients;
let baremetal: CommandLine;

beforeAll(async () => {
  tenure = await startTenure('quotas', { COMPUTE_WATCH_SECONDS: '1' });
  clients = startClients(tenure);
  baremetal = commandLine(clients);
});

afterAll(async () => {
  clients.stop();
  await tenure.stop();
});

function projectOf({ scope }: Persona): string {
  if (typeof scope === 'object' && 'project' in scope) return scope.project;
  throw new Error('a persona without a project');
}

const limit = (who: Persona, ...limits: readonly string[]): Promise<string> =>
  tenure.cli('quota', 'set', projectOf(who), ...limits);

interface BudgetView {
  readonly used: number;
  readonly limit: number | null;
}

async function viewOf(budget: string, ...account: readonly string[]): Promise<BudgetView> {
  const [state] = JSON.parse(await tenure.cli('quota', 'show', ...account, '--json')) as readonly {
    readonly budgets: readonly (BudgetView & { readonly name: string })[];
  }[];
  const found = state?.budgets.find(({ name }) => name === budget);
  if (found === undefined) throw new Error(`no budget ${budget}`);
  return { used: found.used, limit: found.limit };
}

const usedBy = async (who: Persona, budget: string): Promise<number> =>
  (await viewOf(budget, projectOf(who))).used;

async function machineOf(who: Persona, fields: Members = {}): Promise<FleetNode> {
  const owner = projectOf(who);
  const node = availableNode(newProject('quota'), {
    owner,
    resource_class: `class-${owner}`,
    ...fields,
  });
  await tenure.importDocument({ nodes: [node], ports: [portOn(node), portOn(node)] });
  return node;
}

const someone = (role = 'member'): Persona => inProject(newProject('quota'), role);

const over = (budget: string, most: number): string =>
  `Quota exceeded for ${budget}: at most ${String(most)} may be stored.`;
const overBytes = (most: number): string =>
  `Quota exceeded for bytes: at most ${String(most)} bytes may be stored.`;

/** The message of a response of the bare-metal API. */
const said = ({ status, text }: Answer): readonly unknown[] => [status, faultString(text)];

const uuidIn = ({ json }: Answer): string => (json as { readonly uuid: string }).uuid; // of what was created

const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();

const allocate = (who: Persona, fields: Members = {}): Promise<Answer> =>
  askLatest(tenure, who, 'POST /v1/allocations', { resource_class: 'none', ...fields });

describe('the budget of allocations', () => {
  it('refuses one too many with an error of Ironic, which its clients print', async () => {
    const who = someone();
    await limit(who, 'allocations=1');
    const create = 'allocation create --resource-class none';
    const first = (await baremetal.json(who, `${create} --name first-${projectOf(who)}`)) as {
      readonly uuid: string;
    };
    expect(await baremetal.say(who, create)).toBe(`${over('allocations', 1)} (HTTP 403)`);
    const { error } = await clients.sdk(
      who,
      'result = conn.baremetal.create_allocation(resource_class="none").id',
    );
    expect(error).toMatchObject({ type: 'ForbiddenException', status: 403 });
    expect(error?.message).toContain(over('allocations', 1));
    expect(await viewOf('allocations', projectOf(who))).toEqual({ used: 1, limit: 1 });
    expect((await allocate(someone())).status).toBe(201);

    expect(await baremetal.say(who, `allocation delete ${first.uuid}`)).toMatch(
      /^ok$|Deleted allocation/u,
    );
    expect(await usedBy(who, 'allocations')).toBe(0);
    expect((await allocate(who)).status).toBe(201);
  });

  it('admits one of two simultaneous creations as its last', async () => {
    const who = someone();
    await limit(who, 'allocations=3');
    for (const answer of [await allocate(who), await allocate(who)])
      expect(answer.status).toBe(201);
    const answers = await Promise.all([allocate(who), allocate(who)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 403]);
    expect(await usedBy(who, 'allocations')).toBe(3);
  });

  it('applies a raised limit at once, and keeps records above a lowered one', async () => {
    const who = someone();
    await limit(who, 'allocations=1');
    const kept = await allocate(who);
    expect((await allocate(who)).status).toBe(403);
    await limit(who, 'allocations=2');
    expect((await allocate(who)).status).toBe(201);
    await limit(who, 'allocations=0');
    expect((await askLatest(tenure, who, `GET /v1/allocations/${uuidIn(kept)}`)).status).toBe(200);
    expect(await tenure.cli('quota', 'show', projectOf(who))).toMatch(/allocations +2 +0 +own/u);
  });
});

describe('the budget of bytes', () => {
  it('refuses too many bytes with a 413, in a new record and in a change', async () => {
    const who = someone();
    await limit(who, 'bytes=2000');
    const tooMuch = { text: 'x'.repeat(2000) };
    expect(said(await allocate(who, { extra: tooMuch }))).toEqual([413, overBytes(2000)]);
    expect(
      await baremetal.say(
        who,
        `allocation create --resource-class none --extra text=${tooMuch.text}`,
      ),
    ).toBe(`${overBytes(2000)} (HTTP 413)`);
    const made = await allocate(who, { extra: { text: 'x' } });
    expect(made.status).toBe(201);
    const change = await askLatest(tenure, who, `PATCH /v1/allocations/${uuidIn(made)}`, [
      { op: 'add', path: '/extra', value: tooMuch },
    ]);
    expect(said(change)).toEqual([413, overBytes(2000)]);
    const { json } = await askLatest(tenure, who, `GET /v1/allocations/${uuidIn(made)}`);
    expect(json).toMatchObject({ extra: { text: 'x' } });
    expect((await allocate(someone(), { extra: tooMuch })).status).toBe(201);
  });
});

describe('the budget of leases', () => {
  it('is charged to the owner, and a lease that has ended costs nothing', async () => {
    const owner = someone();
    const lessee = projectOf(someone());
    await limit(owner, 'leases=1');
    const lend = async (): Promise<Answer> =>
      askLatest(tenure, owner, 'POST /v1/leases', {
        node_uuid: (await machineOf(owner)).uuid,
        lessee,
        end_time: inAnHour(),
      });
    const first = await lend();
    expect(first.status).toBe(201);
    expect(said(await lend())).toEqual([403, over('leases', 1)]);
    expect([await usedBy(owner, 'leases'), (await viewOf('leases', lessee)).used]).toEqual([1, 0]);
    const ended = await askLatest(tenure, owner, `DELETE /v1/leases/${uuidIn(first)}`);
    expect(ended.status).toBeLessThan(300);
    await eventually(
      () => usedBy(owner, 'leases'),
      (used) => used === 0,
      { within: 30_000, every: 500, what: 'the place of the ended lease' },
    );
    expect((await lend()).status).toBe(201);
  });
});

describe('the budgets of records on nodes', () => {
  it('refuse a VIF through the conductor until one is detached', async () => {
    const who = someone();
    const node = await machineOf(who);
    await limit(who, 'claims=1');
    const attach = (id: string): Promise<Answer> =>
      askLatest(tenure, who, `POST /v1/nodes/${node.uuid}/vifs`, { id });
    const [first, second] = [randomUUID(), randomUUID()];
    expect((await attach(first)).status).toBe(204);
    expect(said(await attach(second))).toEqual([403, over('claims', 1)]);
    const { json } = await askLatest(tenure, who, `GET /v1/nodes/${node.uuid}/vifs`);
    expect(json).toEqual({ vifs: [{ id: first }] });
    expect(
      (await askLatest(tenure, who, `DELETE /v1/nodes/${node.uuid}/vifs/${first}`)).status,
    ).toBe(204);
    expect((await attach(second)).status).toBe(204);
  });

  it.each([
    [
      'volume_targets',
      '/v1/volume/targets',
      (boot: number) => ({ volume_type: 'iscsi', boot_index: boot, volume_id: randomUUID() }),
    ],
    [
      'volume_connectors',
      '/v1/volume/connectors',
      () => ({ type: 'iqn', connector_id: `iqn.2026-11.test:${randomUUID()}` }),
    ],
    ['ports', '/v1/ports', () => ({ address: newMac() })],
  ] as const)(
    'refuse one too many of %s, and leave nothing of it behind',
    async (budget, path, body) => {
      const who = someone('manager');
      const node = await machineOf(who);
      await limit(who, `${budget}=1`);
      const create = (boot: number): Promise<Answer> =>
        askLatest(tenure, who, `POST ${path}`, { node_uuid: node.uuid, ...body(boot) });
      const first = await create(0);
      expect(first.status).toBe(201);
      expect(said(await create(1))).toEqual([403, over(budget, 1)]);
      const claims = budget === 'ports' ? 0 : 1;
      expect([await usedBy(who, budget), await usedBy(who, 'claims')]).toEqual([1, claims]);
      expect((await askLatest(tenure, who, `DELETE ${path}/${uuidIn(first)}`)).status).toBe(204);
      expect([await usedBy(who, budget), await usedBy(who, 'claims')]).toEqual([0, 0]);
      expect((await create(2)).status).toBe(201);
    },
  );
});

describe('the data on one node', () => {
  it('has a size limit for every caller, also for a configuration drive', async () => {
    const who = someone('manager');
    const node = await machineOf(who);
    const full = 'Quota exceeded for node_bytes: at most 524288 bytes may be written on a node.';
    const patch = (field: string, bytes: number): Promise<Answer> =>
      askLatest(tenure, who, `PATCH /v1/nodes/${node.uuid}`, [
        { op: 'add', path: `/${field}`, value: { text: 'x'.repeat(bytes) } },
      ]);
    // A body has at most 128 KiB, and existing data counts.
    for (const field of ['extra', 'instance_info/a', 'instance_info/b'])
      expect((await patch(field, 110_000)).status).toBe(200);
    const deploy = await askLatest(tenure, who, `PUT /v1/nodes/${node.uuid}/states/provision`, {
      target: 'active',
      configdrive: 'A'.repeat(200_000),
    });
    expect(said(deploy)).toEqual([413, full]);
    expect((await patch('instance_info/c', 110_000)).status).toBe(200);
    expect(said(await patch('instance_info/d', 110_000))).toEqual([413, full]);
    expect((await patch('extra', 1)).status).toBe(200);
    expect((await patch('instance_info/d', 110_000)).status).toBe(200);
  });
});

describe('the budgets of the compute API', () => {
  const server = (who: Persona): Promise<Answer> =>
    askNova(tenure, who, 'POST /v2.1/servers', {
      body: {
        server: {
          name: 'one',
          flavorRef: `class-${projectOf(who)}`,
          imageRef: IMAGE,
          networks: 'none',
        },
      },
    });

  it('refuse a server with an error of Nova until one is deleted', async () => {
    const who = someone();
    await machineOf(who);
    await limit(who, 'servers=1');
    const flavorRef = `class-${projectOf(who)}`;
    const id = await createServer(tenure, who, { name: 'one', flavorRef });
    const refused = await server(who);
    expect([refused.status, refused.json]).toEqual([
      403,
      { forbidden: { code: 403, message: over('servers', 1) } },
    ]);
    const { error } = await clients.sdk(
      who,
      `result = conn.compute.create_server(name='two', flavor_id='${flavorRef}', image_id='${IMAGE}', networks='none').id`,
    );
    expect(error).toMatchObject({ type: 'ForbiddenException', status: 403 });
    expect(error?.message).toContain(over('servers', 1));
    await stableServer(tenure, who, id);
    expect([await usedBy(who, 'servers'), await usedBy(who, 'allocations')]).toEqual([1, 1]);
    expect((await askNova(tenure, who, `DELETE /v2.1/servers/${id}`)).status).toBe(204);
    await deletedServer(tenure, who, id);
    expect([await usedBy(who, 'servers'), await usedBy(who, 'allocations')]).toEqual([0, 0]);
    expect((await server(who)).status).toBe(202);
  }, 120_000);

  it('put a server in error with the reason when its allocation exceeds a budget', async () => {
    const who = someone();
    await machineOf(who);
    await limit(who, 'allocations=0');
    const id = await createServer(tenure, who, {
      name: 'one',
      flavorRef: `class-${projectOf(who)}`,
    });
    expect(await stableServer(tenure, who, id)).toMatchObject({
      status: 'ERROR',
      fault: { message: expect.stringContaining(over('allocations', 0)) },
    });
    expect((await askNova(tenure, who, `DELETE /v2.1/servers/${id}`)).status).toBe(204);
    await deletedServer(tenure, who, id);
    expect(await usedBy(who, 'servers')).toBe(0);
  }, 120_000);

  it('refuse user data with a 413 when it exceeds the bytes', async () => {
    const who = someone();
    await machineOf(who);
    await limit(who, 'bytes=3000');
    const refused = await askNova(tenure, who, 'POST /v2.1/servers', {
      body: {
        server: {
          name: 'one',
          flavorRef: `class-${projectOf(who)}`,
          imageRef: IMAGE,
          networks: 'none',
          user_data: Buffer.alloc(3000).toString('base64'),
        },
      },
    });
    expect([refused.status, refused.json]).toEqual([
      413,
      { overLimit: { code: 413, message: overBytes(3000) } },
    ]);
  });

  it('refuse a user one key pair too many', async () => {
    const who = someone();
    await tenure.cli('quota', 'set', '--user', who.user, 'keypairs=1');
    const create = (name: string): Promise<Answer> =>
      askNova(tenure, who, 'POST /v2.1/os-keypairs', {
        body: { keypair: { name } },
        version: '2.90',
      });
    expect((await create('one')).status).toBe(201);
    const refused = await create('two');
    expect([refused.status, novaFault(refused)]).toEqual([403, over('keypairs', 1)]);
    const { error } = await clients.sdk(who, "result = conn.compute.create_keypair(name='two').id");
    expect(error).toMatchObject({ type: 'ForbiddenException', status: 403 });
    expect(await viewOf('keypairs', '--user', who.user)).toEqual({ used: 1, limit: 1 });
    expect((await askNova(tenure, who, 'DELETE /v2.1/os-keypairs/one')).status).toBe(204);
    expect((await create('two')).status).toBe(201);
  });
});
