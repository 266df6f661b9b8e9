import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { availableNode, nodeOf } from '../support/fleet.js';
import { ask } from '../support/http-client.js';
import { inProject, newProject, systemAdmin } from '../support/personas.js';
import {
  act,
  askNova,
  createServer,
  deletedServer,
  IMAGE,
  novaFault,
  serverIn,
  stableServer,
} from '../support/servers.js';
import { startTenure, type Tenure } from '../support/tenure.js';
import { eventually } from '../support/wait.js';

// The life of servers on fake hardware, through the gateway.

const project = newProject('servers');
const owner = inProject(project, 'member');
const stranger = inProject(newProject('servers-stranger'), 'admin');
const resourceClass = `class-${project}`;

const machine = (name: string, fields: Readonly<Record<string, unknown>> = {}) =>
  availableNode(`${project}-${name}`, {
    owner: project,
    resource_class: resourceClass,
    ...fields,
  });
const nodes = [machine('one'), machine('two'), machine('three', { traits: ['CUSTOM_FAST'] })];

let tenure: Tenure;

beforeAll(async () => {
  tenure = await startTenure('servers-life', { COMPUTE_WATCH_SECONDS: '1' });
  await tenure.importDocument({ nodes });
});

afterAll(() => tenure.stop());

async function nodeOfServer(id: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  for (const { uuid } of nodes) {
    const node = await nodeOf(tenure, uuid);
    if (node['instance_uuid'] === id) return node;
  }
  return undefined;
}

describe('a server', () => {
  it('is built on a node of its project, and gives it back clean', async () => {
    const id = await createServer(tenure, owner, { name: 'alpha', flavorRef: resourceClass });
    expect(await stableServer(tenure, owner, id)).toMatchObject({
      status: 'ACTIVE',
      name: 'alpha',
      'OS-EXT-STS:vm_state': 'active',
      'OS-EXT-STS:power_state': 1,
      tenant_id: project,
      user_id: owner.user,
      image: { id: IMAGE },
      flavor: { original_name: resourceClass },
    });
    const node = await nodeOfServer(id);
    expect(node).toMatchObject({
      provision_state: 'active',
      instance_info: { image_source: IMAGE, display_name: 'alpha', project_id: project },
    });
    expect((await askNova(tenure, owner, `DELETE /v2.1/servers/${id}`)).status).toBe(204);
    await deletedServer(tenure, owner, id);
    await eventually(
      () => nodeOf(tenure, String(node?.['uuid'])),
      (after) => after['provision_state'] === 'available' && after['instance_uuid'] === null,
      { what: 'the node free again' },
    );
  });

  it('is stopped, started, rebooted, rebuilt, rescued and locked', async () => {
    const id = await createServer(tenure, owner, { name: 'beta', flavorRef: resourceClass });
    await stableServer(tenure, owner, id);
    const done = async (body: Readonly<Record<string, unknown>>, status: number) => {
      expect((await act(tenure, owner, id, body)).status).toBe(status);
      return stableServer(tenure, owner, id);
    };
    expect(await done({ 'os-stop': null }, 202)).toMatchObject({ status: 'SHUTOFF' });
    const again = await act(tenure, owner, id, { 'os-stop': null });
    expect([again.status, novaFault(again)]).toEqual([
      409,
      `Cannot 'stop' instance ${id} while it is in vm_state stopped`,
    ]);
    expect(await done({ 'os-start': null }, 202)).toMatchObject({ status: 'ACTIVE' });
    expect(await done({ reboot: { type: 'SOFT' } }, 202)).toMatchObject({ status: 'ACTIVE' });
    expect(await done({ reboot: { type: 'HARD' } }, 202)).toMatchObject({ status: 'ACTIVE' });
    const other = 'http://images.example/other.iso';
    expect(await done({ rebuild: { imageRef: other } }, 202)).toMatchObject({
      status: 'ACTIVE',
      image: { id: other },
    });
    expect(await nodeOfServer(id)).toMatchObject({ instance_info: { image_source: other } });
    expect(await done({ rescue: { adminPass: 'secret-word' } }, 200)).toMatchObject({
      status: 'RESCUE',
    });
    expect(await done({ unrescue: null }, 202)).toMatchObject({ status: 'ACTIVE' });
    const dumped = await act(tenure, owner, id, { trigger_crash_dump: null });
    expect([dumped.status, dumped.text]).toEqual([202, '']);
    expect(await done({ lock: { locked_reason: 'mine' } }, 202)).toMatchObject({
      locked: true,
      locked_reason: 'mine',
    });
    const locked = await askNova(tenure, owner, `DELETE /v2.1/servers/${id}`);
    expect([locked.status, novaFault(locked)]).toEqual([409, `Instance ${id} is locked`]);
    expect(await done({ unlock: null }, 202)).toMatchObject({ locked: false });
    await askNova(tenure, owner, `DELETE /v2.1/servers/${id}`);
    await deletedServer(tenure, owner, id);
  });

  it('that finds no node is in error, with Nova’s message', async () => {
    const id = await createServer(tenure, owner, {
      name: 'gamma',
      flavorRef: `${resourceClass}:CUSTOM_FAST`,
    });
    const first = await stableServer(tenure, owner, id);
    expect(first).toMatchObject({ status: 'ACTIVE' });
    const second = await createServer(tenure, owner, {
      name: 'delta',
      flavorRef: `${resourceClass}:CUSTOM_FAST`,
    });
    expect(await stableServer(tenure, owner, second)).toMatchObject({
      status: 'ERROR',
      fault: { code: 500, message: 'No valid host was found.' },
    });
    for (const one of [id, second]) {
      expect((await askNova(tenure, owner, `DELETE /v2.1/servers/${one}`)).status).toBe(204);
      await deletedServer(tenure, owner, one);
    }
  });

  it('that a machine cannot be is refused with Nova’s status, after the policy', async () => {
    const id = await createServer(tenure, owner, { name: 'epsilon', flavorRef: resourceClass });
    await stableServer(tenure, owner, id);
    const answers: Record<string, number> = {};
    const bodies: Readonly<Record<string, unknown>> = {
      changePassword: { adminPass: 'x' },
      confirmResize: null,
      'os-getConsoleOutput': {},
      pause: null,
      resize: { flavorRef: 'x' },
      resume: null,
      revertResize: null,
      shelve: null,
      suspend: null,
      unpause: null,
      unshelve: null,
    };
    for (const [verb, body] of Object.entries(bodies)) {
      answers[verb] = (await act(tenure, owner, id, { [verb]: body })).status;
      expect((await act(tenure, stranger, id, { [verb]: body })).status).toBe(404);
    }
    expect(answers).toEqual({
      changePassword: 409,
      confirmResize: 409,
      'os-getConsoleOutput': 501,
      pause: 501,
      resize: 501,
      resume: 409,
      revertResize: 409,
      shelve: 501,
      suspend: 501,
      unpause: 409,
      unshelve: 409,
    });
    expect((await act(tenure, owner, id, { evacuate: {} })).status).toBe(403);
    expect((await act(tenure, systemAdmin, id, { evacuate: {} })).status).toBe(400);
    await askNova(tenure, owner, `DELETE /v2.1/servers/${id}`);
    await deletedServer(tenure, owner, id);
  });

  it('is listed to its project alone, and to the system with all_tenants', async () => {
    const id = await createServer(tenure, owner, { name: 'zeta', flavorRef: resourceClass });
    const ids = async (persona: typeof owner, target: string) => {
      const { json } = await askNova(tenure, persona, `GET ${target}`);
      return (json as { readonly servers: readonly { readonly id: string }[] }).servers.map(
        (server) => server.id,
      );
    };
    expect(await ids(owner, '/v2.1/servers?name=zeta')).toEqual([id]);
    expect(await ids(stranger, '/v2.1/servers/detail')).toEqual([]);
    expect(await ids(systemAdmin, '/v2.1/servers')).toEqual([]);
    expect(
      await ids(systemAdmin, `/v2.1/servers?all_tenants=1&project_id=${project}&name=zeta`),
    ).toEqual([id]);
    expect((await askNova(tenure, stranger, 'GET /v2.1/servers?all_tenants=1')).status).toBe(403);
    await askNova(tenure, owner, `DELETE /v2.1/servers/${id}`);
    await deletedServer(tenure, owner, id);
  });

  it('of another project answers as one that is not there, for every request', async () => {
    const id = await createServer(tenure, owner, { name: 'hidden', flavorRef: resourceClass });
    const missing = '00000000-0000-4000-8000-00000000dead';
    const requests: readonly (readonly [string, unknown?])[] = [
      ['GET /v2.1/servers/X'],
      ['PUT /v2.1/servers/X', { server: { name: 'mine' } }],
      ['DELETE /v2.1/servers/X'],
      ['GET /v2.1/servers?marker=X'],
      ...[
        'os-stop',
        'os-start',
        'lock',
        'unlock',
        'pause',
        'forceDelete',
        'trigger_crash_dump',
      ].map((verb) => ['POST /v2.1/servers/X/action', { [verb]: null }] as const),
      ['POST /v2.1/servers/X/action', { rebuild: { imageRef: 'nonsense' } }],
    ];
    for (const [line, body] of requests) {
      const answersFor = async (ident: string) => {
        const { status, text, headers } = await askNova(
          tenure,
          stranger,
          line.replace('X', ident),
          body === undefined ? {} : { body },
        );
        const varying = ['date', 'x-tenure-decision-id', 'x-openstack-request-id'];
        const kept = Object.entries(headers).filter(
          ([name]) => !varying.includes(name) && name !== 'x-compute-request-id',
        );
        return { status, text: text.replaceAll(ident, 'X'), headers: kept };
      };
      const [hidden, none] = [await answersFor(id), await answersFor(missing)];
      expect([line, hidden]).toEqual([line, none]);
      expect([400, 404]).toContain(hidden.status);
    }
    await stableServer(tenure, owner, id);
    await askNova(tenure, owner, `DELETE /v2.1/servers/${id}`);
    await deletedServer(tenure, owner, id);
  });

  it('has its VIFs, key and user data on its machine, and takes no VIF of another project', async () => {
    const wired = `wired-${project}`;
    const { uuid } = machine('wired', { resource_class: wired });
    const theirs = machine('theirs', { owner: 'somebody-else', resource_class: 'theirs' });
    const mac = (last: number): string => `52:54:00:5e:00:${String(last).padStart(2, '0')}`;
    await tenure.importDocument({
      nodes: [machine('wired', { uuid, resource_class: wired }), theirs],
      ports: [
        ...[1, 2].map((last) => ({
          uuid: randomUUID(),
          node_uuid: uuid,
          address: mac(last),
          pxe_enabled: true,
        })),
        {
          uuid: randomUUID(),
          node_uuid: theirs.uuid,
          address: mac(3),
          internal_info: { tenant_vif_port_id: 'theirs' },
        },
      ],
    });
    const keypair = {
      name: `key-${project}`,
      public_key:
        'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIN5VmzBvp2eaHSGA2AGvpJFvx0JhVSgGoYLMEXL4O8sn a@b',
    };
    expect(
      (await askNova(tenure, owner, 'POST /v2.1/os-keypairs', { body: { keypair } })).status,
    ).toBe(201);
    const vifs = [`one-${project}`, `two-${project}`];
    const id = await createServer(tenure, owner, {
      name: 'wired',
      flavorRef: wired,
      networks: vifs.map((port) => ({ port })),
      key_name: keypair.name,
      user_data: Buffer.from('#!/bin/sh').toString('base64'),
      metadata: { role: 'web' },
      adminPass: 'only-here',
    });
    expect(await stableServer(tenure, owner, id)).toMatchObject({ status: 'ACTIVE' });
    const attached = async () =>
      (
        (await ask(tenure, owner, `GET /v1/nodes/${uuid}/vifs`)).json as {
          readonly vifs: readonly { readonly id: string }[];
        }
      ).vifs.map((vif) => vif.id);
    expect((await attached()).toSorted()).toEqual(vifs);
    // It is there, and nobody reads it from outside the machine.
    expect(await nodeOf(tenure, uuid)).toMatchObject({ instance_info: { configdrive: '******' } });
    expect(tenure.log()).not.toContain('only-here');
    await askNova(tenure, owner, `DELETE /v2.1/servers/${id}`);
    await deletedServer(tenure, owner, id);
    expect(await attached()).toEqual([]);
    await eventually(
      () => nodeOf(tenure, uuid),
      (node) => node['provision_state'] === 'available',
      { what: 'the node free again' },
    );
    const other = await createServer(tenure, owner, {
      name: 'thief',
      flavorRef: wired,
      networks: [{ port: 'theirs' }],
    });
    expect(await stableServer(tenure, owner, other)).toMatchObject({
      status: 'ERROR',
      fault: {
        message: expect.stringContaining('VIF theirs cannot be attached'),
      },
    });
    expect(await nodeOf(tenure, uuid)).toMatchObject({ instance_uuid: null });
    await askNova(tenure, owner, `DELETE /v2.1/servers/${other}`);
    await deletedServer(tenure, owner, other);
  });

  it('is over for its project with the lease of its machine', async () => {
    const lent = machine('lent', { resource_class: `lent-${project}` });
    await tenure.importDocument({ nodes: [lent] });
    const lessee = newProject('servers-tenant');
    const tenant = inProject(lessee, 'member');
    const lease = await ask(tenure, owner, 'POST /v1/leases', {
      version: 'latest',
      body: {
        node_uuid: lent.uuid,
        lessee,
        end_time: new Date(Date.now() + 3_600_000).toISOString(),
      },
    });
    expect(lease.status).toBe(201);
    const { uuid } = lease.json as { readonly uuid: string };
    const id = await createServer(tenure, tenant, {
      name: 'kappa',
      flavorRef: `lent-${project}`,
    });
    expect(await stableServer(tenure, tenant, id)).toMatchObject({ status: 'ACTIVE' });
    expect((await ask(tenure, owner, `DELETE /v1/leases/${uuid}`)).status).toBe(202);
    await eventually(
      async () => serverIn(await askNova(tenure, tenant, `GET /v2.1/servers/${id}`)),
      (server) => server['status'] === 'ERROR',
      { within: 20_000, what: 'a server without its machine' },
    );
    await eventually(
      () => nodeOf(tenure, lent.uuid),
      (node) => node['provision_state'] === 'available' && node['instance_uuid'] === null,
      { within: 40_000, what: 'the machine cleared' },
    );
    expect((await askNova(tenure, tenant, `DELETE /v2.1/servers/${id}`)).status).toBe(204);
    await deletedServer(tenure, tenant, id);
  });

  it('follows a machine that is switched through the bare-metal API, and reports when it is taken away', async () => {
    const id = await createServer(tenure, owner, { name: 'iota', flavorRef: resourceClass });
    await stableServer(tenure, owner, id);
    const { uuid } = (await nodeOfServer(id)) ?? {};
    const order = (target: string, body: unknown) =>
      ask(tenure, owner, `PUT /v1/nodes/${String(uuid)}/states/${target}`, { body });
    const becomes = (status: string) =>
      eventually(
        async () => serverIn(await askNova(tenure, owner, `GET /v2.1/servers/${id}`)),
        (server) => server['status'] === status,
        { within: 20_000, what: status },
      );
    expect((await order('power', { target: 'power off' })).status).toBe(202);
    await becomes('SHUTOFF');
    expect((await order('power', { target: 'power on' })).status).toBe(202);
    await becomes('ACTIVE');
    expect((await order('provision', { target: 'deleted' })).status).toBe(202);
    expect(await becomes('ERROR')).toMatchObject({
      fault: { message: `Instance ${id} has lost its node.` },
    });
    await askNova(tenure, owner, `DELETE /v2.1/servers/${id}`);
    await deletedServer(tenure, owner, id);
  });

  it('is updated, at any microversion that is served', async () => {
    const id = await createServer(tenure, owner, { name: 'eta', flavorRef: resourceClass });
    await stableServer(tenure, owner, id);
    const renamed = await askNova(tenure, owner, `PUT /v2.1/servers/${id}`, {
      body: { server: { name: 'theta', description: 'a word' } },
    });
    expect(serverIn(renamed)).toMatchObject({ name: 'theta', description: 'a word' });
    const old = serverIn(
      await askNova(tenure, owner, `GET /v2.1/servers/${id}`, { version: '2.1' }),
    );
    expect(old).toMatchObject({ name: 'theta', flavor: { id: resourceClass } });
    expect(old).not.toHaveProperty('description');
    await askNova(tenure, owner, `DELETE /v2.1/servers/${id}`);
    await deletedServer(tenure, owner, id);
  });
});
