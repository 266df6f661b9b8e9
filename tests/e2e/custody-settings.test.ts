import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  startStubBmc,
  STUB_SYSTEM,
  type StubBmc,
} from '../../services/conductor/src/testing/stub-bmc.js';
import { availableNode, type FleetNode, imported, nodeOf, stableNode } from '../support/fleet.js';
import { type Answer, askLatest } from '../support/http-client.js';
import { replaces } from '../support/patch.js';
import { certificates } from '../support/paths.js';
import { inProject, newProject, type Persona, systemAdmin } from '../support/personas.js';
import { redfishSystemId, sushyEmulator, type SushyEmulator } from '../support/sushy-emulator.js';
import { sharedTenure, type Tenure } from '../support/tenure.js';
import { eventually } from '../support/wait.js';

// A lessee changes what it may of a machine's firmware settings, and the tenancy ends. The machine's settings are read
// from its BMC, not of Tenure. Boot mode, secure boot and boot device: a real Redfish emulator. BIOS settings, which take a
// start of the machine: our own stub, for the emulator's fake machines have none; tests/vm/settings.test.ts has a real one.

type Fields = Readonly<Record<string, unknown>>;

const ownerProject = newProject('settings-owner');
const lesseeProject = newProject('settings-lessee');
const nextProject = newProject('settings-next');
const owner = inProject(ownerProject, 'admin');
const lessee = inProject(lesseeProject, 'admin');
const next = inProject(nextProject, 'admin');
const password = `s3cret-${randomUUID()}`;
const machine = randomUUID();

let tenure: Tenure;
let emulator: SushyEmulator;
let bmc: StubBmc;
let images: Server;
let image: string;

beforeAll(async () => {
  tenure = await sharedTenure();
  for (const who of [owner, lessee, next, systemAdmin]) await tenure.token(who);
  emulator = await sushyEmulator({
    systems: [{ name: 'handed-over', uuid: machine }],
    username: 'operator',
    password,
  });
  bmc = await startStubBmc();
  // The emulator fetches what is put into its drive.
  images = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/octet-stream' }).end('an image');
  });
  await new Promise<void>((resolve) => {
    images.listen(0, '127.0.0.1', resolve);
  });
  image = `http://127.0.0.1:${String((images.address() as AddressInfo).port)}/tenant.iso`;
});

afterAll(async () => {
  images.close();
  await bmc.close();
  await emulator.stop();
});

const call = (who: Persona, line: string, body?: unknown): Promise<Answer> =>
  askLatest(tenure, who, line, body);
const statusFor = async (who: Persona, line: string, body?: unknown): Promise<number> =>
  (await call(who, line, body)).status;

const leased = (fields: Fields): Promise<FleetNode> =>
  imported(
    tenure,
    availableNode(newProject('settings'), {
      owner: ownerProject,
      lessee: lesseeProject,
      resource_class: newProject('class'),
      ...fields,
    }),
  );

async function relabelled({ uuid }: FleetNode, to: string | null): Promise<void> {
  expect(await statusFor(owner, `PATCH /v1/nodes/${uuid}`, replaces('lessee', to))).toBe(200);
}

/** The one handover of a node, as this caller sees it. */
async function handoverOf(who: Persona, { uuid }: FleetNode): Promise<Fields> {
  const { json } = await call(who, `GET /v1/nodes/${uuid}/handovers?detail=true`);
  const { handovers } = json as { readonly handovers: readonly Fields[] };
  const [only, ...others] = handovers;
  if (only === undefined || others.length > 0) throw new Error(JSON.stringify(json));
  return only;
}

const completed = (node: FleetNode): Promise<Fields> =>
  eventually(
    () => handoverOf(owner, node),
    ({ status }) => status === 'complete',
    { within: 90_000, every: 250, what: `complete handover of ${node.uuid}` },
  );

/** The result of each step: a machine with an instance is cleared twice, and the second time nothing is left to do. */
function outcomesIn({ steps }: Fields): Fields {
  const all = steps as readonly { readonly step: string; readonly outcome: string }[];
  const acted = all.filter(({ outcome }) => outcome !== 'nothing_to_do');
  return Object.fromEntries([...all, ...acted].map(({ step, outcome }) => [step, outcome]));
}

const inState = (node: FleetNode, state: string): Promise<Fields> =>
  eventually(
    () => nodeOf(tenure, node.uuid),
    (one) => one['provision_state'] === state && one['reservation'] === null,
    { within: 90_000, what: `node in state ${state}` },
  );

async function ordered(node: FleetNode, who: Persona, body: Fields): Promise<void> {
  const answer = await call(who, `PUT /v1/nodes/${node.uuid}/states/provision`, body);
  expect([answer.status, answer.text]).toEqual([202, '']);
}

describe('a machine of a Redfish emulator', () => {
  const settings = async (): Promise<Fields> => {
    const { Boot: boot } = await emulator.read(redfishSystemId(machine));
    const { BootSourceOverrideMode: mode, BootSourceOverrideTarget: target } = boot as Fields;
    const secure = await emulator.read(`${redfishSystemId(machine)}/SecureBoot`);
    return { mode, target, secureBoot: secure['SecureBootEnable'] };
  };
  const FORMER = { mode: 'UEFI', target: 'Hdd', secureBoot: false };
  const TENANTS = { mode: 'Legacy', target: 'Cd', secureBoot: true };

  it('has the boot mode, secure boot and boot device of before, before its handover is complete', async () => {
    const node = await leased({
      driver: 'redfish',
      deploy_interface: 'ramdisk',
      driver_info: {
        redfish_address: emulator.url,
        redfish_system_id: redfishSystemId(machine),
        redfish_username: 'operator',
        redfish_password: password,
        redfish_verify_ca: certificates.ca,
      },
    });
    const path = `/v1/nodes/${node.uuid}`;
    expect(await settings()).toEqual(FORMER);
    expect(await statusFor(lessee, `PUT ${path}/states/boot_mode`, { target: 'bios' })).toBe(202);
    await stableNode(tenure, node.uuid);
    expect(await statusFor(lessee, `PUT ${path}/states/secure_boot`, { target: true })).toBe(202);
    await stableNode(tenure, node.uuid);
    // The boot device itself is not for a lessee to set: it changes with what the lessee deploys.
    const device = { boot_device: 'pxe', persistent: true };
    expect(await statusFor(lessee, `PUT ${path}/management/boot_device`, device)).toBe(403);
    const instance = replaces('instance_info', { boot_iso: image });
    expect(await statusFor(lessee, `PATCH ${path}`, instance)).toBe(200);
    await ordered(node, lessee, { target: 'active' });
    expect(await inState(node, 'active')).toMatchObject({ last_error: null });
    expect(await settings()).toEqual(TENANTS);

    await relabelled(node, nextProject);
    await eventually(settings, (now) => JSON.stringify(now) === JSON.stringify(FORMER), {
      within: 60_000,
      what: 'former settings on the BMC',
    });
    expect(await handoverOf(owner, node)).not.toMatchObject({ status: 'complete' });
    expect(await statusFor(next, `PUT ${path}/states/power`, { target: 'power on' })).toBe(409);
    const record = await completed(node);
    expect(await settings()).toEqual(FORMER);
    expect(record).toMatchObject({
      put_back: {
        boot_mode: 'uefi',
        secure_boot: false,
        boot_device: { boot_device: 'disk', persistent: true },
      },
      firmware: [{ component: 'bmc', source: 'bmc', read_at: expect.any(String) }],
    });
    expect(outcomesIn(record)).toMatchObject({
      power_off: 'done',
      virtual_media: 'done',
      boot_mode: 'done',
      secure_boot: 'done',
      boot_device: 'done',
      bios: 'nothing_to_do',
    });
    // Without an agent there is nothing on this machine that could erase a disk, and the record does not say otherwise.
    expect(outcomesIn(record)).toMatchObject({ clean: 'unsupported' });
    expect(record['erased']).toEqual([
      expect.objectContaining({
        step: 'clean',
        outcome: 'skipped',
        reason: 'No clean step could be run on the node.',
      }),
    ]);
    const { driver_internal_info: internal } = await nodeOf(tenure, node.uuid);
    expect(JSON.stringify(internal)).not.toContain('custody_before');
  }, 240_000);
});

describe('a machine whose BIOS takes settings with its next start', () => {
  const systemOfBmc = async (path: string): Promise<Fields> => {
    const account = Buffer.from(`${bmc.username}:${bmc.password}`).toString('base64');
    const answer = await fetch(`${bmc.origin}${STUB_SYSTEM}${path}`, {
      headers: { authorization: `Basic ${account}` },
    });
    return (await answer.json()) as Fields;
  };
  const numLock = async (path: string): Promise<unknown> =>
    ((await systemOfBmc(path))['Attributes'] as Fields)['NumLock'];

  it('has the BIOS settings of before, now and from the next start on, and shows them', async () => {
    bmc.machine.settingsWait = 'yes';
    const node = await leased({
      driver: 'redfish',
      driver_info: bmc.driverInfo,
    });
    await ordered(node, lessee, { target: 'manage' });
    await inState(node, 'manageable');
    const change = { settings: [{ name: 'NumLock', value: 'false' }] };
    const step = { interface: 'bios', step: 'apply_configuration', args: change };
    await ordered(node, lessee, { target: 'clean', clean_steps: [step] });
    expect(await inState(node, 'manageable')).toMatchObject({ last_error: null });
    expect([await numLock('/Bios'), await numLock('/Bios/Settings')]).toEqual([false, false]);

    await relabelled(node, nextProject);
    await eventually(
      () => numLock('/Bios'),
      (value) => value === true,
      { within: 60_000, what: 'former BIOS setting' },
    );
    expect(await handoverOf(owner, node)).not.toMatchObject({ status: 'complete' });
    const record = await completed(node);
    expect([await numLock('/Bios'), await numLock('/Bios/Settings')]).toEqual([true, true]);
    expect((await systemOfBmc(''))['PowerState']).toBe('Off');
    expect(record).toMatchObject({
      put_back: { bios: { NumLock: 'true' } },
      firmware: [
        { component: 'bios', current_version: 'B-1.2', source: 'bmc' },
        { component: 'bmc', current_version: 'M-3.4', source: 'bmc' },
      ],
    });
    expect(outcomesIn(record)).toMatchObject({ bios: 'done', boot_mode: 'nothing_to_do' });
    // The BIOS settings in the inventory are not the former tenant's either.
    const setting = await call(next, `GET /v1/nodes/${node.uuid}/bios/NumLock`);
    expect(setting.json).toMatchObject({ NumLock: { value: 'true' } });
    // The former lessee sees that it was done, and nothing of the hardware.
    expect((await call(lessee, `GET /v1/handovers/${String(record['uuid'])}`)).json).toMatchObject({
      put_back: null,
      firmware: null,
    });
  }, 180_000);
});

describe('a clean step that fails', () => {
  it('is in the record with its reason, beside those that were done afterwards', async () => {
    const node = await leased({ power_state: 'power on', driver_info: { fake_failure: 'clean' } });
    const path = `/v1/nodes/${node.uuid}`;
    await relabelled(node, null);
    await inState(node, 'clean failed');
    const failed = await handoverOf(owner, node);
    expect(failed['status']).not.toBe('complete');
    expect(failed['erased']).toEqual([
      {
        interface: 'deploy',
        step: 'clean',
        priority: 0,
        outcome: 'failed',
        by: 'driver',
        at: expect.any(String),
        reason: 'The hardware, or the agent on it, reported a failure.',
        detail: 'the simulated hardware failed, as fake_failure asks',
      },
    ]);
    expect(await statusFor(next, `GET ${path}`)).toBe(404);
    expect(await statusFor(systemAdmin, `PATCH ${path}`, replaces('driver_info', {}))).toBe(200);
    expect(await statusFor(owner, `DELETE ${path}/maintenance`)).toBe(202);
    await ordered(node, owner, { target: 'manage' });
    const record = await completed(node);
    expect(record['erased']).toMatchObject([
      { outcome: 'failed' },
      { outcome: 'done', by: 'driver' },
    ]);
    expect(outcomesIn(record)).toMatchObject({ clean: 'done' });
    // A report may name parts of the hardware: a lessee does not see it.
    const { json } = await call(lessee, `GET /v1/handovers/${String(record['uuid'])}`);
    expect((json as Fields)['erased']).toMatchObject([
      { outcome: 'failed', detail: null, reason: expect.any(String) },
      { outcome: 'done', detail: null },
    ]);
    expect(await tenure.cli('custody', 'verify', node.uuid)).toContain('as they were written');
  }, 120_000);
});
