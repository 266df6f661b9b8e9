import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type NodeRecord } from '@tenure/contracts';
import { deadlineIn } from '@tenure/process';
import { type WorkResult } from '../../domain/provision/fields.js';
import { aJob } from '../../testing/jobs.js';
import { aRedfishNode } from '../../testing/nodes.js';
import { failureOf, RedfishBench } from '../../testing/redfish-bench.js';
import { type StubBmc } from '../../testing/stub-bmc.js';

let bench: RedfishBench;
let bmc: StubBmc;
let node: NodeRecord;
let proofs = 0;

beforeEach(async () => {
  bench = await RedfishBench.open();
  ({ bmc } = bench);
  bmc.power = 'On';
  bmc.machine.settingsWait = 'yes';
  node = aRedfishNode(bmc);
  proofs = 0;
});

afterEach(async () => {
  await bench.close();
});

const SETTINGS = '/redfish/v1/Systems/1/Bios/Settings';
const RESET = '/redfish/v1/Systems/1/Bios/Actions/Bios.ResetBios';
const POWER = '/redfish/v1/Systems/1/Actions/ComputerSystem.Reset';

function run(
  name: string,
  args: Readonly<Record<string, unknown>> = {},
  ms = 5000,
): Promise<WorkResult> {
  const step = bench.driver.provisioning.steps.cleaning?.find((one) => one.step === name);
  if (step === undefined) throw new Error(`no ${name}`);
  const proceed = (): Promise<void> => {
    proofs += 1;
    return Promise.resolve();
  };
  return step.run(node, { args, ...aJob(proceed) }, deadlineIn(ms));
}
const apply = (settings: Readonly<Record<string, unknown>>, ms?: number): Promise<WorkResult> =>
  run(
    'apply_configuration',
    { settings: Object.entries(settings).map(([name, value]) => ({ name, value })) },
    ms,
  );
const changes = (): readonly unknown[] =>
  bmc.requests
    .filter(({ method, path }) => method !== 'GET' && !path.includes('Sessions'))
    .map(({ method, path, body }) => [method, path, body]);

describe('apply_configuration', () => {
  it('sends the settings, restarts the machine, and reads them back', async () => {
    expect(await apply({ BootMode: 'Uefi', NumLock: 'false' })).toEqual({
      set: { power_state: 'power on' },
    });
    expect(bmc.machine.attributes).toMatchObject({ BootMode: 'Uefi', NumLock: false });
    expect(changes()).toEqual([
      [
        'PATCH',
        SETTINGS,
        {
          Attributes: { BootMode: 'Uefi', NumLock: false },
          '@Redfish.SettingsApplyTime': { ApplyTime: 'OnReset' },
        },
      ],
      ['POST', POWER, { ResetType: 'ForceOff' }],
      ['POST', POWER, { ResetType: 'On' }],
    ]);
    expect(proofs).toBe(5);
  });

  it('sends nothing when it is so already', async () => {
    expect(await apply({ BootMode: 'Bios', NumLock: true })).toEqual({});
    expect(changes()).toEqual([]);
  });

  it('takes back what the next start would change', async () => {
    bmc.machine.waiting = { BootMode: 'Uefi' };
    await apply({ BootMode: 'Bios' });
    expect(bmc.resets).toEqual(['ForceOff', 'On']);
    expect(bmc.machine.attributes).toMatchObject({ BootMode: 'Bios' });
  });

  it('leaves a machine off that was off', async () => {
    bmc.power = 'Off';
    expect(await apply({ BootMode: 'Uefi' })).toEqual({ set: { power_state: 'power off' } });
    expect(bmc.resets).toEqual(['On', 'ForceOff']);
    expect(bmc.machine.attributes).toMatchObject({ BootMode: 'Uefi' });
  });

  it('says the ETag, and fetches it again after a 412', async () => {
    bmc.machine.settingsEtag = 7;
    bmc.machine.settingsEtagMoves = 1;
    await apply({ BootMode: 'Uefi' });
    expect(bmc.machine.attributes).toMatchObject({ BootMode: 'Uefi' });
    expect(bmc.requests.filter(({ method }) => method === 'PATCH')).toHaveLength(2);
  });

  it('does not believe a 204', async () => {
    bmc.machine.settingsWait = 'refused';
    expect(await failureOf(apply({ BootMode: 'Uefi' }, 2000))).toMatchObject({
      kind: 'no_effect',
      message: 'the BIOS does not show what was set after a restart: BootMode',
    });
  });

  it.each([
    [{ Colour: 'red', BootMode: 'Uefi' }, 'the BIOS has no setting Colour'],
    [{ AdminPassword: 'very-secret' }, 'passwords of the BIOS cannot be set by a step'],
  ])('refuses %j before anything is sent', async (settings, message) => {
    expect(await failureOf(apply(settings))).toMatchObject({ kind: 'settings', message });
    expect(changes()).toEqual([]);
  });

  it('does not restart the machine when the settings were refused', async () => {
    bmc.faults.empty = { PATCH: 500 };
    expect(await failureOf(apply({ BootMode: 'Uefi' }))).toMatchObject({
      kind: 'answer',
      message: 'the answer of the BMC was not Redfish',
    });
    expect(bmc.resets).toEqual([]);
    expect(bmc.requests.filter(({ method }) => method === 'PATCH')).toHaveLength(1);
  });
});

describe('factory_reset', () => {
  it('asks for the defaults and restarts the machine', async () => {
    bmc.machine.attributes = { BootMode: 'Uefi', NumLock: false };
    expect(await run('factory_reset')).toEqual({ set: { power_state: 'power on' } });
    expect(bmc.machine.attributes).toMatchObject({ BootMode: 'Bios', NumLock: true });
    expect(changes()).toEqual([
      ['POST', RESET, {}],
      ['POST', POWER, { ResetType: 'ForceOff' }],
      ['POST', POWER, { ResetType: 'On' }],
    ]);
  });

  it('is not to be had from every BMC', async () => {
    bmc.machine.noBiosReset = true;
    expect(await failureOf(run('factory_reset'))).toMatchObject({
      kind: 'unsupported',
      message: 'the BMC does not offer to reset the BIOS',
    });
    expect(changes()).toEqual([]);
  });
});
