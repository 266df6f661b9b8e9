import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { availableNode, type FleetNode, nodeOf, stableNode } from '../support/fleet.js';
import { type Answer, ask } from '../support/http-client.js';
import { root } from '../support/paths.js';
import { systemAdmin } from '../support/personas.js';
import { freePort, isRunning, signal, start, stopGroup } from '../support/processes.js';
import { startTenure, type Tenure } from '../support/tenure.js';
import { eventually } from '../support/wait.js';

// Two conductor groups: one conductor of `tenure up`, which the gateway knows, and another process of the group `rack-b`,
// which only the conductors have in their settings. Requests for a node of that group reach it through the first one.

const OTHER = 'conductor-b';
const GROUP = 'rack-b';
/** Seconds after which a silent conductor counts as dead; the others hear of it at their own next heartbeat, six in that time. */
const TIMEOUT = 12;
const MISSED = 40_000;
const UNSERVED =
  'No valid host was found. Reason: No conductor service registered which supports driver fake-hardware';

const nowhere = {
  driver: 'redfish',
  driver_info: {
    redfish_address: 'http://127.0.0.1:1',
    redfish_system_id: '/redfish/v1/Systems/1',
    redfish_username: 'u',
    redfish_password: 'p',
  },
};
const here = availableNode('conductors-a');
const there = availableNode('conductors-b', { conductor_group: GROUP });
const lostHere = availableNode('conductors-a-lost', nowhere);
const lostThere = availableNode('conductors-b-lost', { ...nowhere, conductor_group: GROUP });

let tenure: Tenure;
let settings: Readonly<Record<string, string>>;
let other = 0;

function startOther(): void {
  other = start({
    command: process.execPath,
    args: [path.join(root, 'services', 'conductor', 'dist', 'server.js')],
    env: { ...tenure.env, ...settings },
    cwd: root,
    logFile: path.join(tenure.dataDir, 'log', `${OTHER}.log`),
  }).pid;
}

async function isAlive(): Promise<unknown> {
  const answer = await ask(tenure, systemAdmin, `GET /v1/conductors/${OTHER}`);
  return (answer.json as { readonly alive?: boolean }).alive;
}

const untilAlive = (is: boolean): Promise<unknown> =>
  eventually(isAlive, (alive) => alive === is, { within: 30_000, what: `${OTHER} alive: ${is}` });

const power = (node: FleetNode, target: string): Promise<Answer> =>
  ask(tenure, systemAdmin, `PUT /v1/nodes/${node.uuid}/states/power`, { body: { target } });

/** The conductors that reported failures of a node. */
/** The conductors that the history of a node names. */
async function tellers(node: FleetNode): Promise<readonly string[]> {
  const answer = await ask(tenure, systemAdmin, `GET /v1/nodes/${node.uuid}/history?detail=true`, {
    version: '1.78',
  });
  const { history } = answer.json as { readonly history: readonly { conductor: string }[] };
  return [...new Set(history.map(({ conductor }) => conductor))];
}

beforeAll(async () => {
  tenure = await startTenure('conductors', {
    CONDUCTOR_HOST_NAME: 'conductor-a',
    CONDUCTOR_HEARTBEAT_TIMEOUT_SECONDS: String(TIMEOUT),
  });
  settings = {
    CONDUCTOR_HOST_NAME: OTHER,
    CONDUCTOR_GROUP: GROUP,
    CONDUCTOR_PORT: String(await freePort()),
    CONDUCTOR_ADMIN_PORT: String(await freePort()),
    CONDUCTOR_MEDIA_PORT: '0',
    INVENTORY_URL: `http://127.0.0.1:${tenure.ports.inventory}`,
    TENURE_CONTEXT_KEYS_DIR: path.join(tenure.dataDir, 'keys', 'conductor'),
  };
  startOther();
  await tenure.importDocument({ nodes: [here, there, lostHere, lostThere] });
  await untilAlive(true);
});

afterAll(async () => {
  if (other !== 0) await stopGroup(other);
  await tenure.stop();
}, 60_000);

describe('an order for a node of another conductor group', () => {
  it('is carried out, and answered as any other', async () => {
    const answer = await power(there, 'power on');
    expect([answer.status, answer.text]).toEqual([202, '']);
    expect(await stableNode(tenure, there.uuid)).toMatchObject({ power_state: 'power on' });
    const device = `/v1/nodes/${there.uuid}/management/boot_device`;
    const put = await ask(tenure, systemAdmin, `PUT ${device}`, {
      body: { boot_device: 'disk', persistent: true },
    });
    expect(put.status).toBe(204);
    expect((await ask(tenure, systemAdmin, `GET ${device}`)).json).toEqual({
      boot_device: 'disk',
      persistent: true,
    });
  });

  it('is carried out by a conductor of that group, and no other', async () => {
    for (const node of [lostHere, lostThere]) {
      expect((await power(node, 'power on')).status).toBe(202);
      expect(await stableNode(tenure, node.uuid, 60_000)).toMatchObject({
        last_error: expect.stringContaining('BMC'),
      });
    }
    expect(await tellers(lostHere)).toEqual(['conductor-a']);
    expect(await tellers(lostThere)).toEqual([OTHER]);
  }, 150_000);
});

describe('when the only conductor of a group', () => {
  it('is stopped, its nodes are served by nobody at once, and again when it is back', async () => {
    await stopGroup(other);
    await untilAlive(false);
    const refused = await power(there, 'power off');
    expect(refused.status).toBe(503);
    expect(refused.text).toContain(UNSERVED);
    startOther();
    await untilAlive(true);
    expect((await power(there, 'power off')).status).toBe(202);
    expect(await stableNode(tenure, there.uuid)).toMatchObject({ power_state: 'power off' });
  }, 120_000);

  it('is killed, that is a 503 until it is missed and after, and nobody else is harmed', async () => {
    signal(-other, 'SIGKILL');
    await eventually(
      () => isRunning(other),
      (runs) => !runs,
      { what: 'end of the other conductor' },
    );
    const killed = other;
    // A connection that was kept may break under the first request: its answer is lost, which is a 502.
    const refused = await eventually(
      () => power(there, 'power on'),
      ({ status }) => status !== 502,
      { what: 'refusal' },
    );
    expect(refused.status).toBe(503);
    expect(refused.text).toContain('cannot be reached');
    expect((await power(here, 'power on')).status).toBe(202);
    expect(await stableNode(tenure, here.uuid)).toMatchObject({ power_state: 'power on' });
    await eventually(
      () => power(there, 'power on'),
      ({ status, text }) => status === 503 && text.includes('No conductor service registered'),
      { within: MISSED, every: 250, what: '503 with the message for a group without conductor' },
    );
    expect(await nodeOf(tenure, there.uuid)).toMatchObject({ power_state: 'power off' });
    startOther();
    expect(other).not.toBe(killed);
    await untilAlive(true);
    await eventually(
      () => power(there, 'power on'),
      ({ status }) => status === 202,
      { within: 30_000, every: 100, what: 'order accepted by the conductor that is back' },
    );
    expect(await stableNode(tenure, there.uuid)).toMatchObject({ power_state: 'power on' });
  }, 180_000);
});
