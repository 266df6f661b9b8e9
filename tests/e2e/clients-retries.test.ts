import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Clients, startClients } from '../support/clients.js';
import { availableNode, type FleetNode } from '../support/fleet.js';
import { type Login, tokenLogin } from '../support/logins.js';
import { cache, cleanEnvironment } from '../support/paths.js';
import { inProject, newProject } from '../support/personas.js';
import { type RefusingProxy, startRefusingProxy } from '../support/refusing-proxy.js';
import { sharedTenure, type Tenure } from '../support/tenure.js';

// The retries of the clients in docs/operations.md after a refusal with Retry-After. admission.test.ts tests the gateway's own
// refusals.

const run = promisify(execFile);
const project = newProject('retries');

let tenure: Tenure;
let proxy: RefusingProxy;
let clients: Clients;
let node: FleetNode;
let login: Login;

beforeAll(async () => {
  const shared = await sharedTenure();
  node = availableNode(newProject('retried'), { owner: project });
  await shared.importDocument({ nodes: [node] });
  proxy = await startRefusingProxy(shared.url);
  tenure = { ...shared, url: proxy.url };
  clients = startClients(tenure);
  login = await tokenLogin(tenure, inProject(project, 'member'));
});

afterAll(async () => {
  clients.stop();
  await proxy.stop();
});

describe('openstack baremetal', () => {
  const show = () => clients.osc(login, 'baremetal', 'node', 'show', node.uuid, '-f', 'json');
  // It caches the negotiated version, so it sends one request where it is not refused.
  beforeEach(async () => {
    await show();
  });

  it.each([429, 503] as const)(
    'retries after a refusal that is a %d for other clients',
    async (status) => {
      proxy.refuse(status, 2);
      const { code, stdout, stderr } = await show();
      expect([code, stderr]).toEqual([0, '']);
      expect(JSON.parse(stdout)).toMatchObject({ uuid: node.uuid });
      // One more request if it negotiates the version first.
      expect(proxy.came()).toBeGreaterThanOrEqual(3);
    },
  );
});

describe('openstacksdk', () => {
  const NAME = 'result = conn.baremetal.get_node(N).name';
  const nameBy = (connection: Login['connection']) =>
    clients.sdk({ ...login, connection }, `N = '${node.uuid}'\n${NAME}`);

  it('retries after a 503 without configuration', async () => {
    proxy.refuse(503, 2);
    expect(await nameBy(login.connection)).toEqual({ result: node.name, error: null });
    expect(proxy.came()).toBe(3);
  });

  it('retries after a 429 with baremetal_retriable_status_codes, as Nova with retriable_status_codes', async () => {
    proxy.refuse(429, 2);
    const connection = {
      ...login.connection,
      baremetal_retriable_status_codes: [409, 429, 503],
    };
    expect(await nameBy(connection)).toEqual({ result: node.name, error: null });
    expect(proxy.came()).toBe(3);
  });
});

describe('gophercloud', () => {
  it.each([429, 503] as const)('retries after a %d with its retry functions', async (status) => {
    const { OS_TOKEN = '' } = login.environment;
    proxy.refuse(status, 2);
    const program = path.join(cache, 'gophercloud', 'acceptance.test');
    const { stdout } = await run(program, ['-test.v', '-test.run=^TestRetries$'], {
      env: { ...cleanEnvironment(), GATEWAY: proxy.url, TOKEN: OS_TOKEN, OWN_NODE: node.uuid },
    });
    expect(stdout).toContain('--- PASS: TestRetries');
    expect(proxy.came()).toBe(3);
  });
});
