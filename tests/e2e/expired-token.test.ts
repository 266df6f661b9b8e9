import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { claimedToken } from '../support/claimed-token.js';
import { availableNode, nodeOf } from '../support/fleet.js';
import { claimsOfToken, inProject, newProject } from '../support/personas.js';
import { IMAGE, stableServer } from '../support/servers.js';
import { startTenure, type Tenure } from '../support/tenure.js';
import { eventually } from '../support/wait.js';

// An accepted order is carried out, though its token expires long before the end.

const project = newProject('expired-token');
const owner = inProject(project, 'member');
const LIFETIME_SECONDS = 4;
/** Work on these nodes takes longer than the token is good. */
const slow = { driver_info: { fake_delay_ms: 3000 } };
const settings = { owner: project, resource_class: `class-${project}`, ...slow };
const deployed = availableNode(`${project}-deployed`, settings);
const cleaned = availableNode(`${project}-cleaned`, { ...settings, provision_state: 'manageable' });
// Of a class of its own, so that no server is placed on it.
const revoked = availableNode(`${project}-revoked`, {
  ...settings,
  resource_class: `class-${project}-revoked`,
});
const forServer = availableNode(`${project}-server`, settings);

let tenure: Tenure;

beforeAll(async () => {
  tenure = await startTenure('expired-token', { COMPUTE_RECOVERY_SECONDS: '1' });
  await tenure.importDocument({ nodes: [deployed, cleaned, revoked, forServer] });
});

afterAll(() => tenure.stop());

const shortToken = (): string =>
  claimedToken(tenure, {
    ...claimsOfToken(owner),
    exp: Math.floor(Date.now() / 1000) + LIFETIME_SECONDS,
  });

function send(token: string, line: string, body?: unknown): Promise<Response> {
  const [method = '', path = ''] = line.split(' ');
  return fetch(`${tenure.url}${path}`, {
    method,
    headers: {
      'X-Auth-Token': token,
      'Content-Type': 'application/json',
      'OpenStack-API-Version': path.startsWith('/v2.1') ? 'compute 2.93' : 'baremetal 1.82',
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** Waits until the token is refused, while the order that was made with it is still being carried out. */
const expiry = (token: string): Promise<number> =>
  eventually(
    async () => (await send(token, 'GET /v1/nodes')).status,
    (status) => status === 401,
    { within: 20_000, what: 'the end of the token' },
  );

const reached = (uuid: string, state: string): Promise<unknown> =>
  eventually(
    () => nodeOf(tenure, uuid),
    (node) => node['provision_state'] === state && node['reservation'] === null,
    { within: 60_000, what: `${state} of ${uuid}` },
  );

describe('an order whose token expires while it is carried out', () => {
  it('deploys the node', async () => {
    const token = shortToken();
    const ordered = await send(token, `PUT /v1/nodes/${deployed.uuid}/states/provision`, {
      target: 'active',
      deploy_steps: [{ interface: 'bios', step: 'factory_reset', args: {}, priority: 90 }],
    });
    expect(ordered.status).toBe(202);
    await expiry(token);
    expect(await nodeOf(tenure, deployed.uuid)).toMatchObject({ provision_state: 'deploying' });
    await reached(deployed.uuid, 'active');
  }, 120_000);

  it('cleans the node step by step', async () => {
    const token = shortToken();
    const step = { interface: 'deploy', step: 'erase_devices', args: {} };
    const ordered = await send(token, `PUT /v1/nodes/${cleaned.uuid}/states/provision`, {
      target: 'clean',
      clean_steps: [step, step],
    });
    expect(ordered.status).toBe(202);
    await expiry(token);
    expect(await nodeOf(tenure, cleaned.uuid)).toMatchObject({ provision_state: 'cleaning' });
    await reached(cleaned.uuid, 'manageable');
    expect(await nodeOf(tenure, cleaned.uuid)).toMatchObject({ last_error: null });
  }, 120_000);

  it('builds the server: allocation, image and deployment', async () => {
    const token = shortToken();
    const ordered = await send(token, 'POST /v2.1/servers', {
      server: {
        name: 'late',
        flavorRef: `class-${project}`,
        imageRef: IMAGE,
        networks: 'none',
      },
    });
    expect(ordered.status).toBe(202);
    const { server } = (await ordered.json()) as { readonly server: { readonly id: string } };
    await expiry(token);
    expect(await stableServer(tenure, owner, server.id, 90_000)).toMatchObject({
      status: 'ACTIVE',
    });
    expect((await send(token, `GET /v2.1/servers/${server.id}`)).status).toBe(401);
  }, 150_000);
});

describe('an order whose user is revoked while it is carried out', () => {
  it('deploys the node', async () => {
    const claims = { ...claimsOfToken(owner), sub: `${project}-leaver` };
    const token = claimedToken(tenure, claims);
    const ordered = await send(token, `PUT /v1/nodes/${revoked.uuid}/states/provision`, {
      target: 'active',
    });
    expect(ordered.status).toBe(202);
    await tenure.cli('token', 'revoke', '--user', claims.sub);
    await expiry(token);
    expect(await nodeOf(tenure, revoked.uuid)).toMatchObject({ provision_state: 'deploying' });
    await reached(revoked.uuid, 'active');
  }, 120_000);
});
