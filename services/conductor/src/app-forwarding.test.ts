import { type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ContextClaims, type NodeRecord } from '@tenure/contracts';
import { aNode, FakeInventory, faultOf, keyPair } from '@tenure/testing';
import { ConductorHarness } from './testing/conductor-harness.js';
import { FakeParts } from './testing/fake-parts.js';
import { SignedCalls } from './testing/signed-calls.js';
import { type TestListener, openTestListener } from './testing/test-listener.js';

interface Conductor {
  readonly harness: ConductorHarness;
  readonly gateway: SignedCalls;
  readonly listener: TestListener;
  /** Method and target of what came in by the conductor's own address. */
  readonly came: string[];
}

let inventory: FakeInventory;
let parts: FakeParts;
let keys: ReturnType<typeof keyPair>;
const running: Conductor[] = [];

async function start(hostname: string, conductorGroup: string): Promise<Conductor> {
  const listener = await openTestListener();
  const harness = new ConductorHarness(inventory, parts, {
    hostname,
    conductorGroup,
    advertisedUrl: listener.url,
  });
  const gateway = new SignedCalls(harness, 'gateway', keys);
  const came: string[] = [];
  listener.handler = (request, response) => {
    came.push(`${String(request.method)} ${String(request.url)}`);
    gateway.app(request, response);
  };
  await harness.conductor.heartbeat.beat();
  const conductor = { harness, gateway, listener, came };
  running.push(conductor);
  return conductor;
}

/** A conductor of the group `rack` of which only the address exists, and what happens to who comes there. */
async function pretend(
  hostname: string,
  handler: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<TestListener> {
  const listener = await openTestListener();
  listener.handler = handler;
  const harness = new ConductorHarness(inventory, parts, {
    hostname,
    conductorGroup: 'rack',
    advertisedUrl: listener.url,
  });
  await harness.conductor.heartbeat.beat();
  running.push({ harness, gateway: new SignedCalls(harness, 'gateway', keys), listener, came: [] });
  return listener;
}

beforeEach(() => {
  inventory = new FakeInventory();
  parts = new FakeParts(inventory);
  keys = keyPair('gateway', 'conductor');
});

afterEach(async () => {
  for (const { harness, listener } of running.splice(0)) {
    await harness.close();
    await listener.close();
  }
});

const put = (fields: Partial<NodeRecord> = {}): NodeRecord =>
  inventory.put(aNode({ conductor_group: 'rack', ...fields }));

const POWER_ON = { body: { target: 'power on' } };

const powerOn = ({ gateway }: Conductor, node: NodeRecord, claims: Partial<ContextClaims> = {}) =>
  gateway.call('put', `/v1/nodes/${node.uuid}/states/power`, node, { ...POWER_ON, ...claims });

const ROUTES = [
  ['put', 'states/power', { target: 'power on' }, 202],
  ['put', 'states/provision', { target: 'manage' }, 202],
  ['put', 'states/console', { enabled: true }, 202],
  ['put', 'management/boot_device', { boot_device: 'disk' }, 204],
  ['get', 'management/boot_device', undefined, 200],
  ['put', 'maintenance', { reason: 'repair' }, 202],
  ['delete', 'maintenance', undefined, 202],
  ['get', 'validate', undefined, 200],
  ['get', 'vifs', undefined, 200],
  ['get', 'vendor_passthru/methods', undefined, 200],
] as const;

describe('a request about a node of another conductor group', () => {
  it.each(ROUTES)('is carried out there: %s %s', async (method, at, body, status) => {
    const here = await start('here', '');
    const there = await start('there', 'rack');
    await here.harness.conductor.heartbeat.beat();
    const node = put();
    const target = `/v1/nodes/${node.uuid}/${at}`;
    const answer = await here.gateway.call(method, target, node, { body });
    expect(answer.status).toBe(status);
    expect(there.came).toEqual([`${method.toUpperCase()} ${target}`]);
    await there.harness.idle();
  });

  it('is answered as there: status, headers, body', async () => {
    const here = await start('here', '');
    const there = await start('there', 'rack');
    const node = put();
    const accepted = await powerOn(here, node);
    expect([accepted.status, accepted.headers['location']]).toEqual([
      202,
      `http://tenure.example:6385/v1/nodes/${node.uuid}/states`,
    ]);
    expect(await there.harness.completed(node)).toMatchObject({ power_state: 'power on' });
    const refused = await here.gateway.call('put', `/v1/nodes/${node.uuid}/states/power`, node, {
      body: { target: 'sideways' },
    });
    expect([refused.status, faultOf(refused)]).toEqual([
      400,
      `The requested action "sideways" can not be performed on node "${node.uuid}" while it is in state "power on".`,
    ]);
  });

  it('is answered as stale there when its decision is stale, so that the gateway decides again', async () => {
    const here = await start('here', '');
    await start('there', 'rack');
    const node = put({ tenancy_revision: 4 });
    const answer = await powerOn(here, { ...node, tenancy_revision: 3 });
    expect([answer.status, answer.headers['x-tenure-stale']]).toEqual([412, 'tenancy']);
  });

  it('of an agent goes where the agent is looked after', async () => {
    const here = await start('here', '');
    const there = await start('there', 'rack');
    const node = put({ provision_state: 'clean wait' });
    const found = await here.gateway.call('get', `/v1/lookup?node_uuid=${node.uuid}`, null, {
      client_address: '127.0.0.9',
    });
    expect(found.body).toMatchObject({ node: { uuid: node.uuid } });
    const { agent_token: token } = (found.body as { config: { agent_token: string } }).config;
    const beat = await here.gateway.call('post', `/v1/heartbeat/${node.uuid}`, null, {
      body: { callback_url: 'http://10.0.0.9:9999', agent_token: token },
      client_address: '10.0.0.9',
    });
    expect(beat.status).toBe(202);
    expect(there.came).toEqual([
      `GET /v1/lookup?node_uuid=${node.uuid}`,
      `POST /v1/heartbeat/${node.uuid}`,
    ]);
  });

  it('of an agent is refused by the first conductor when no agent may run, so that the answer reveals nothing', async () => {
    const here = await start('here', '');
    const there = await start('there', 'rack');
    const node = put({ provision_state: 'active' });
    const target = `/v1/lookup?node_uuid=${node.uuid}`;
    const answer = await here.gateway.call('get', target, null, { client_address: '127.0.0.9' });
    expect([answer.status, there.came]).toEqual([404, []]);
  });

  it('stays when this conductor serves the node, too', async () => {
    const here = await start('here', 'rack');
    const other = await start('other', 'rack');
    for (const node of [put(), put(), put(), put(), put(), put()]) {
      expect((await powerOn(here, node)).status).toBe(202);
      await here.harness.completed(node);
    }
    expect(other.came).toEqual([]);
  });
});

describe('a request that was sent on', () => {
  it('is sent on no more, though its node is of yet another group by now', async () => {
    const here = await start('here', '');
    // The one there forwards nothing: whatever comes to its address is answered by a conductor of another group.
    const stray = await start('stray', 'elsewhere');
    await pretend('there', (request, response) => {
      stray.gateway.app(request, response);
    });
    const answer = await powerOn(here, put());
    expect([answer.status, faultOf(answer)]).toEqual([
      503,
      'This conductor does not serve the node; please try again.',
    ]);
  });

  it('needs its context, even with the header of a forwarded request', async () => {
    const there = await start('there', 'rack');
    const node = put();
    const response = await fetch(`${there.listener.url}/v1/nodes/${node.uuid}/states/power`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', 'x-tenure-forwarded-by': 'here' },
      body: '{"target":"power on"}',
    });
    expect(response.status).toBe(401);
    expect(inventory.node(node.uuid)).toMatchObject({ reservation: null });
  });

  it('carries the very bytes and the very context that came', async () => {
    const here = await start('here', '');
    const seen: Record<string, unknown> = {};
    await pretend('there', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { 'x-tenure-context': context, 'x-tenure-forwarded-by': sender } = request.headers;
        Object.assign(seen, { context, sender, body: Buffer.concat(chunks).toString() });
        response.writeHead(202, { 'content-length': 0 }).end();
      });
    });
    await powerOn(here, put(), { request_id: 'req-7' });
    expect(seen).toMatchObject({ sender: 'here', body: '{"target":"power on"}' });
    const claims = String(seen['context']).split('.')[1] ?? '';
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
      iss: 'gateway',
      aud: 'conductor',
      request_id: 'req-7',
    });
  });
});

describe('when a conductor of the group', () => {
  it('accepts no connection, the next best gets the request', async () => {
    const here = await start('here', '');
    const [first, second] = [await start('first', 'rack'), await start('second', 'rack')];
    await here.harness.conductor.heartbeat.beat();
    await first.listener.close();
    for (const node of [put(), put(), put(), put(), put(), put()]) {
      expect((await powerOn(here, node)).status).toBe(202);
      await second.harness.completed(node);
    }
    expect(second.came).toHaveLength(6);
  });

  it('is the only one and takes no connection, the answer is 503', async () => {
    const here = await start('here', '');
    const there = await start('there', 'rack');
    await here.harness.conductor.heartbeat.beat();
    await there.listener.close();
    const answer = await powerOn(here, put());
    expect([answer.status, faultOf(answer)]).toEqual([
      503,
      'The conductor that serves the node cannot be reached.',
    ]);
  });

  it('breaks off after it was sent the request, the answer is 502 and no other conductor gets it', async () => {
    const here = await start('here', '');
    let count = 0;
    const breakOff = (request: IncomingMessage): void => {
      count += 1;
      request.socket.destroy();
    };
    await pretend('first', breakOff);
    await pretend('second', breakOff);
    const answer = await powerOn(here, put());
    expect([answer.status, count]).toEqual([502, 1]);
  });

  it('does not answer, the answer is 504 and no other conductor gets it', async () => {
    const here = await start('here', '');
    let count = 0;
    const keepSilent = (): void => {
      count += 1;
    };
    await pretend('first', keepSilent);
    await pretend('second', keepSilent);
    const answer = await powerOn(here, put());
    expect([answer.status, count]).toEqual([504, 1]);
  });

  it('refuses the context, the caller gets no error about a missing context', async () => {
    const here = await start('here', '');
    await pretend('there', (_request, response) => {
      response.writeHead(401, { 'content-length': 0 }).end();
    });
    expect((await powerOn(here, put())).status).toBe(503);
  });

  it('has deregistered, no conductor serves its nodes', async () => {
    const here = await start('here', '');
    const there = await start('there', 'rack');
    await there.harness.conductor.heartbeat.deregister();
    const answer = await powerOn(here, put());
    expect([answer.status, faultOf(answer)]).toEqual([
      503,
      'No valid host was found. Reason: No conductor service registered which supports driver fake-hardware for conductor group "rack".',
    ]);
  });
});
