import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { availableNode, imported, stableNode } from '../support/fleet.js';
import { type Answer, ask, faultString } from '../support/http-client.js';
import { inProject, newProject, systemAdmin } from '../support/personas.js';
import { freePort } from '../support/processes.js';
import { startTenure, type Tenure } from '../support/tenure.js';

// The owner of a node sets the address of its BMC. The conductor must connect only to BMCs and reveal nothing else.

const project = newProject('bmc-addresses');
const owner = inProject(project, 'member');
const REFUSED = 'driver_info/redfish_address names a place at which no BMC may be.';

interface Listening {
  readonly server: Server;
  readonly port: number;
  connections: number;
}

/** A server that is not a BMC and counts its connections. */
async function listening(status: number, body: string): Promise<Listening> {
  const server = createServer((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const one = { server, port, connections: 0 };
  server.on('connection', () => {
    one.connections += 1;
  });
  return one;
}

const at = (address: string) => ({
  redfish_address: address,
  redfish_system_id: '/latest/meta-data/role',
  redfish_username: 'u',
  redfish_password: 'p',
  redfish_auth_type: 'basic',
});

const created = (tenure: Tenure, address: string): Promise<Answer> =>
  ask(tenure, systemAdmin, 'POST /v1/nodes', {
    body: { driver: 'redfish', driver_info: at(address) },
  });

const ownNode = (tenure: Tenure, address: string) =>
  imported(
    tenure,
    availableNode(`bmc-addresses-${randomUUID()}`, {
      owner: project,
      driver: 'redfish',
      power_state: null,
      driver_info: at(address),
    }),
  );

/** The error that the owner sees at once, or after the order to power the machine on. */
async function lastErrorAt(tenure: Tenure, address: string): Promise<unknown> {
  const { uuid } = await ownNode(tenure, address);
  const body = { target: 'power on' };
  const answer = await ask(tenure, owner, `PUT /v1/nodes/${uuid}/states/power`, { body });
  if (answer.status !== 202) return [answer.status, faultString(answer.text)];
  await stableNode(tenure, uuid, 60_000);
  const seen = await ask(tenure, owner, `GET /v1/nodes/${uuid}`);
  return (seen.json as { readonly last_error: unknown }).last_error;
}

let strict: Tenure;
let local: Tenure;
let page: Listening;

beforeAll(async () => {
  strict = await startTenure('bmc-strict', { CONDUCTOR_BMC_ALLOW_LOOPBACK: 'false' });
  local = await startTenure('bmc-local', { CONDUCTOR_BMC_NETWORKS: '127.0.0.0/8,192.0.2.0/24' });
  page = await listening(404, '<html></html>');
});

afterAll(async () => {
  page.server.close();
  await Promise.all([strict.stop(), local.stop()]);
});

describe('the address of a BMC, where no loopback is allowed', () => {
  it.each([
    'http://127.0.0.1:1',
    'http://localhost:1',
    'http://2130706433:1',
    'http://[::1]:1',
    'http://[::ffff:127.0.0.1]:1',
    'http://169.254.169.254',
    'http://[fe80::1]',
    'http://224.0.0.1',
    'http://0.0.0.0:1',
  ])('is refused as %s when a node is created or changed', async (address) => {
    const answer = await created(strict, address);
    expect([answer.status, faultString(answer.text)]).toEqual([400, REFUSED]);
    const { uuid } = await ownNode(strict, 'https://192.0.2.4');
    const body = [{ op: 'replace', path: '/driver_info', value: at(address) }];
    const changed = await ask(strict, systemAdmin, `PATCH /v1/nodes/${uuid}`, { body });
    expect([changed.status, faultString(changed.text)]).toEqual([400, REFUSED]);
  });

  it('is not called even when it is in the inventory', async () => {
    const before = page.connections;
    const place = (host: string): string => `http://${host}:${String(page.port)}`;
    for (const literal of ['127.0.0.1', '[::ffff:127.0.0.1]'])
      expect(await lastErrorAt(strict, place(literal))).toEqual([
        400,
        expect.stringContaining('edfish_address names a place at which no BMC may be'),
      ]);
    expect(await lastErrorAt(strict, place('localhost'))).toMatch(/the BMC is unreachable\./u);
    expect(page.connections).toBe(before);
  }, 90_000);

  it('is reported as unusable by a validation', async () => {
    const { uuid } = await ownNode(strict, `http://127.0.0.1:${String(page.port)}`);
    const { json } = await ask(strict, owner, `GET /v1/nodes/${uuid}/validate`);
    expect(json).toMatchObject({
      power: {
        result: false,
        reason: 'redfish_address names a place at which no BMC may be',
      },
    });
  });
});

describe('the address of a BMC, where loopback and networks are set', () => {
  it('is refused outside the networks, and at own listeners', async () => {
    expect((await created(local, 'https://198.51.100.4')).status).toBe(400);
    for (const part of ['inventory', 'pdp', 'gateway', 'conductor'] as const)
      expect([
        part,
        (await created(local, `http://127.0.0.1:${String(local.ports[part])}`)).status,
      ]).toEqual([part, 400]);
    expect((await created(local, 'https://192.0.2.4')).status).toBe(201);
    expect((await created(local, 'http://127.0.0.1:1')).status).toBe(201);
  });

  it('reveals one of three messages to an owner, and the cause to the log', async () => {
    const closed = await freePort();
    const refusing = await listening(401, '');
    const json = await listening(200, '{"PowerState":"On"}');
    const errors = await Promise.all(
      [closed, page.port, refusing.port, json.port].map((port) =>
        lastErrorAt(local, `http://127.0.0.1:${String(port)}`),
      ),
    );
    refusing.server.close();
    json.server.close();
    const after = (reason: string): string =>
      `Failed to change power state to 'power on'. Error: ${reason}.`;
    expect(errors).toEqual([
      after('the BMC is unreachable'),
      after('the answer of the BMC was not Redfish'),
      after('the BMC refused the credentials'),
      after('the answer of the BMC was not Redfish'),
    ]);
    expect(local.log()).toContain('ECONNREFUSED');
    expect(local.log()).toContain('answered 404');
    expect(local.log()).toContain('the system has no @odata.id');
  }, 120_000);
});
