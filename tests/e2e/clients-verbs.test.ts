import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CommandLine, commandLine } from '../support/clients-command-line.js';
import { type Clients, startClients } from '../support/clients.js';
import { availableNode, imported, stableNode } from '../support/fleet.js';
import { inProject, newProject, systemAdmin } from '../support/personas.js';
import { sharedTenure, type Tenure } from '../support/tenure.js';
import { newAddress } from './access/fixtures.js';

// Verbs of python-ironicclient that act on a machine at once, and their visible effects.

const project = newProject('verbs');
const tenant = newProject('verbs-tenant');
const owner = inProject(project, 'member');
const ownerAdmin = inProject(project, 'admin');
const lesseeAdmin = inProject(tenant, 'admin');
const lessee = inProject(tenant, 'member');

let tenure: Tenure;
let clients: Clients;
let baremetal: CommandLine;

beforeAll(async () => {
  tenure = await sharedTenure();
  clients = startClients(tenure);
  baremetal = commandLine(clients);
});

afterAll(() => {
  clients.stop();
});

async function machine(name: string, fields: Readonly<Record<string, unknown>> = {}) {
  return imported(
    tenure,
    availableNode(`${project}-${name}`, { owner: project, lessee: tenant, ...fields }),
  );
}

describe('what is done to a machine at once', () => {
  it('power on, soft power off and reboot, by its lessee', async () => {
    const { name, uuid } = await machine('power');
    for (const [command, state] of [
      ['power on', 'power on'],
      ['reboot', 'power on'],
      ['reboot --soft --power-timeout 30', 'power on'],
      ['power off --soft --power-timeout 30', 'power off'],
      ['power on', 'power on'],
      ['power off', 'power off'],
    ] as const) {
      expect([command, await baremetal.say(lessee, `node ${command} ${name}`)]).toEqual([
        command,
        'ok',
      ]);
      expect(await stableNode(tenure, uuid)).toMatchObject({ power_state: state });
    }
  });

  it('boot device, boot mode and secure boot', async () => {
    const { name, uuid } = await machine('boot');
    const say = (command: string) => baremetal.say(ownerAdmin, `node ${command}`);
    expect(await say(`boot device set ${name} disk --persistent`)).toBe('ok');
    expect(await baremetal.json(ownerAdmin, `node boot device show ${name}`)).toEqual({
      boot_device: 'disk',
      persistent: true,
    });
    expect(await say(`boot mode set ${name} uefi`)).toBe('ok');
    await stableNode(tenure, uuid);
    expect(await say(`secure boot on ${name}`)).toBe('ok');
    await stableNode(tenure, uuid);
    const show = `node show ${name} --fields boot_mode secure_boot`;
    expect(await baremetal.json(lessee, show)).toEqual({ boot_mode: 'uefi', secure_boot: true });
    expect(await say(`secure boot off ${name}`)).toBe('ok');
    await stableNode(tenure, uuid);
    expect(await baremetal.json(lessee, show)).toEqual({ boot_mode: 'uefi', secure_boot: false });
  });

  it('console enable, show and disable', async () => {
    const { name, uuid } = await machine('console');
    expect(await baremetal.say(owner, `node console enable ${name}`)).toBe('ok');
    await stableNode(tenure, uuid);
    expect(await baremetal.json(owner, `node console show ${name}`)).toEqual({
      console_enabled: true,
      console_info: { type: 'fake', url: `fake://${uuid}/console` },
    });
    expect(await baremetal.say(owner, `node console disable ${name}`)).toBe('ok');
    await stableNode(tenure, uuid);
    expect(await baremetal.json(owner, `node console show ${name}`)).toEqual({
      console_enabled: false,
      console_info: null,
    });
  });

  it('vif attach, list and detach, and no VIF of another project', async () => {
    const { name, uuid } = await machine('vifs', { lessee: null });
    const other = await machine('vifs-other', { owner: tenant, lessee: null });
    const vif = `vif-${project}`;
    for (const node of [uuid, other.uuid])
      await baremetal.json(systemAdmin, `port create --node ${node} ${newAddress()}`);
    const list = `node vif list ${name} -f value`;
    expect(await baremetal.say(owner, `node vif attach ${name} ${vif}`)).toBe('ok');
    expect(await baremetal.lines(owner, list)).toEqual([vif]);
    expect(await baremetal.say(lesseeAdmin, `node vif attach ${other.name} ${vif}`)).toBe(
      `VIF ${vif} cannot be attached to node ${other.uuid}. (HTTP 400)`,
    );
    expect(await baremetal.say(owner, `node vif detach ${name} ${vif}`)).toBe('ok');
    expect(await baremetal.lines(owner, list)).toEqual([]);
  });

  it('passthru list and call, by the operator', async () => {
    const { name } = await machine('vendor');
    expect(
      await baremetal.lines(systemAdmin, `node passthru list ${name} -f value -c Name`),
    ).toEqual([
      'first_method',
      'fourth_method_shared_lock',
      'power_summary',
      'second_method',
      'third_method_sync',
    ]);
    const call = (method: string) => `node passthru call ${name} ${method}`;
    expect(await baremetal.lines(systemAdmin, call('power_summary --http-method GET'))).toEqual([
      "{'power_state': 'power off'}",
    ]);
    expect(await baremetal.say(systemAdmin, call('no_such'))).toBe(
      'No handler for method no_such (HTTP 400)',
    );
  });

  it('target RAID configuration is set and cleared', async () => {
    const { name } = await machine('raid', { provision_state: 'manageable' });
    const config = { logical_disks: [{ size_gb: 10, raid_level: '1' }] };
    const show = `node show ${name} --fields target_raid_config`;
    const set = `node set ${name} --target-raid-config '${JSON.stringify(config)}'`;
    expect(await baremetal.say(owner, set)).toBe('ok');
    expect(await baremetal.json(owner, show)).toEqual({ target_raid_config: config });
    expect(await baremetal.say(owner, `node unset ${name} --target-raid-config`)).toBe('ok');
    expect(await baremetal.json(owner, show)).toEqual({ target_raid_config: {} });
  });
});
