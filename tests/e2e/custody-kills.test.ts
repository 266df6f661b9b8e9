import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startStubBmc, type StubBmc } from '../../services/conductor/src/testing/stub-bmc.js';
import { killPart } from '../support/crash/crash-bench.js';
import { isEveryCase } from '../support/every-case.js';
import { availableNode, type FleetNode, nodeOf } from '../support/fleet.js';
import { type Answer, askLatest } from '../support/http-client.js';
import { type MongoProcess, startMongo } from '../support/mongo-process.js';
import { portOn } from '../support/node-parts.js';
import { replaces } from '../support/patch.js';
import { inProject, newProject, type Persona } from '../support/personas.js';
import { randomFrom } from '../support/random.js';
import { type Part, startTenure, type Tenure } from '../support/tenure.js';
import { eventually, sleep } from '../support/wait.js';

// Conductor and inventory die while machines pass from one project to the next, on both stores. The machines' BMCs are
// outside of Tenure: their records are compared with the custody record.

/** Each death comes at another step of the handover of every machine. */
const MACHINES = 10;
const KILLS = isEveryCase ? 30 : 12;
/** Milliseconds between two deaths, at most: a handover is at another step each time. */
const APART_MS = 700;
const CANARY = 'LEFT-BEHIND';
const OWNERS = { description: 'rack 7', extra: { rack: '7' } };
const IMAGE = 'http://tenant.example/own.iso';

const ownerProject = newProject('kills-owner');
const owner = inProject(ownerProject, 'admin');

interface Machine {
  readonly node: FleetNode;
  readonly bmc: StubBmc;
}

interface Handover {
  readonly uuid: string;
  readonly status: string;
  readonly from_project: string | null;
  readonly to_project: string | null;
}

let tenure: Tenure;
let mongo: MongoProcess | undefined;
let machines: readonly Machine[] = [];

const call = (who: Persona, line: string, body?: unknown): Promise<Answer> =>
  askLatest(tenure, who, line, body);

/** Repeated while a part that died is on its way back. */
const finalCall = (who: Persona, line: string, body?: unknown): Promise<Answer> =>
  eventually(
    () => call(who, line, body).catch(() => undefined),
    (answer): answer is Answer => answer !== undefined && answer.status < 500,
    { within: 30_000, every: 200, what: line },
  ) as Promise<Answer>; // what the condition says

async function made(lessee: string): Promise<Machine> {
  const bmc = await startStubBmc();
  const node = availableNode(newProject('kills'), {
    ...OWNERS,
    owner: ownerProject,
    lessee,
    driver: 'redfish',
    driver_info: bmc.driverInfo,
  });
  await tenure.importDocument({ nodes: [node], ports: [portOn(node)] });
  return { node, bmc };
}

/** Attaches a new VIF. Where the answer to a try was lost, the next one hears that the VIF is attached. */
async function attaches(tenant: Persona, path: string): Promise<void> {
  const id = randomUUID();
  await eventually(
    () => finalCall(tenant, `POST ${path}/vifs`, { id }),
    ({ status, text }) => status === 204 || text.includes(`VIF ${id} is already attached`),
    { within: 60_000, every: 300, what: `VIF ${id} on ${path}` },
  );
}

/** The actions of a tenant on its machine: it writes on the node, boots an image of its own, and attaches its network. */
async function isUsedBy({ node, bmc }: Machine, project: string): Promise<void> {
  const tenant = inProject(project, 'admin');
  const path = `/v1/nodes/${node.uuid}`;
  const accepted = async (line: string, status: number, body: unknown): Promise<void> => {
    const answer = await eventually(
      () => finalCall(tenant, line, body),
      (one) => one.status !== 409,
      { within: 60_000, every: 300, what: line },
    );
    expect([line, answer.status, answer.text]).toEqual([line, status, expect.anything()]);
  };
  await accepted(`PATCH ${path}`, 200, replaces('extra', { secret: CANARY }));
  await accepted(`PATCH ${path}`, 200, replaces('description', CANARY));
  await attaches(tenant, path);
  await accepted(`POST ${path}/vmedia`, 204, { device_type: 'cdrom', image_url: IMAGE });
  await accepted(`PUT ${path}/states/power`, 202, { target: 'power on' });
  await eventually(
    () => bmc.power,
    (power) => power === 'On',
    { within: 30_000, what: `power of ${node.uuid}` },
  );
}

/** Begins the machine's handover to another project. */
async function passesTo({ node }: Machine, project: string): Promise<void> {
  const line = `PATCH /v1/nodes/${node.uuid}`;
  const { status } = await eventually(
    () => finalCall(owner, line, replaces('lessee', project)),
    (answer) => answer.status !== 409,
    { within: 30_000, every: 200, what: line },
  );
  expect([line, status]).toEqual([line, 200]);
}

async function handoversOf({ node }: Machine): Promise<readonly Handover[]> {
  const { json } = await finalCall(owner, `GET /v1/nodes/${node.uuid}/handovers`);
  return (json as { readonly handovers: readonly Handover[] }).handovers;
}

/** Returns the errors of a machine whose handover is reported as complete. */
async function leftOn({ node, bmc }: Machine): Promise<readonly string[]> {
  const vifs = await finalCall(owner, `GET /v1/nodes/${node.uuid}/vifs`);
  return [
    ...(bmc.power === 'Off' ? [] : [`power ${bmc.power}`]),
    ...(bmc.machine.drives['Cd']?.image === null ? [] : ['medium']),
    ...(JSON.stringify(vifs.json) === '{"vifs":[]}' ? [] : ['VIFs']),
    ...((await finalCall(owner, `GET /v1/nodes/${node.uuid}`)).text.includes(CANARY)
      ? ['canary']
      : []),
  ];
}

/** Waits until each machine has so many complete handovers; what was left on one that was said to be complete. */
async function untilHandedOver(count: number): Promise<readonly string[]> {
  const found: string[] = [];
  for (const machine of machines) {
    await eventually(
      () => handoversOf(machine),
      (all) => all.length === count && all.every(({ status }) => status === 'complete'),
      { within: 90_000, every: 250, what: `${String(count)} handovers of ${machine.node.uuid}` },
    );
    found.push(...(await leftOn(machine)));
  }
  return found;
}

async function dies(random: () => number): Promise<void> {
  await sleep(random() * APART_MS);
  const victims: readonly (readonly Part[])[] = [
    ['conductor'],
    ['inventory'],
    ['conductor', 'inventory'],
  ];
  const chosen = victims[Math.floor(random() * victims.length)] ?? [];
  await Promise.all(chosen.map((part) => killPart(tenure, part)));
}

async function open(store: 'mongodb' | 'sqlite'): Promise<void> {
  mongo = store === 'mongodb' ? await startMongo() : undefined;
  tenure = await startTenure(`custody-kills-${store}`, {
    ...(mongo !== undefined && { MONGODB_URI: mongo.uri }),
    // A conductor that died is missed soon.
    CONDUCTOR_HEARTBEAT_TIMEOUT_SECONDS: '6',
  });
}

afterEach(async () => {
  await tenure.stop();
  await mongo?.stop();
  await Promise.all(machines.map(({ bmc }) => bmc.close()));
  machines = [];
});

describe.each(['sqlite', 'mongodb'] as const)('on %s', (store) => {
  beforeEach(() => open(store));

  it('every handover is complete, or visibly not, however often conductor and inventory die', async () => {
    // The same deaths in each run.
    const { next: random } = randomFrom(store === 'sqlite' ? 16 : 17);
    let tenant = newProject('tenant-0');
    machines = await Promise.all(Array.from({ length: MACHINES }, () => made(tenant)));
    let kills = 0;
    for (let round = 1; kills < KILLS; round += 1) {
      await Promise.all(machines.map((machine) => isUsedBy(machine, tenant)));
      const next = newProject(`tenant-${String(round)}`);
      await Promise.all(machines.map((machine) => passesTo(machine, next)));
      for (let deaths = 0; deaths < 5 && kills < KILLS; deaths += 1) {
        await dies(random);
        kills += 1;
      }
      expect(await untilHandedOver(round)).toEqual([]);
      for (const machine of machines) {
        const [last] = (await handoversOf(machine)).filter(({ to_project: to }) => to === next);
        expect(last).toMatchObject({ from_project: tenant, status: 'complete' });
        expect(await nodeOf(tenure, machine.node.uuid)).toMatchObject({
          ...OWNERS,
          lessee: next,
          power_state: 'power off',
          provision_state: 'available',
          reservation: null,
        });
      }
      tenant = next;
    }
    expect(kills).toBe(KILLS);
    expect(await tenure.cli('custody', 'verify', '--all')).toContain('as they were written');
  }, 900_000);
});
