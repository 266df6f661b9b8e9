import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AT_REST, ConductorHarness, type ProvisionBody } from '../testing/conductor-harness.js';
import { aRedfishNode } from '../testing/nodes.js';

let harness: ConductorHarness;

beforeEach(() => {
  harness = new ConductorHarness();
});

afterEach(async () => {
  await harness.close();
});

describe('on redfish', () => {
  it('managing reads the power with the credentials', async () => {
    const bmc = await harness.openBmc();
    bmc.power = 'On';
    const node = harness.inventory.put(
      aRedfishNode(bmc, {}, { provision_state: 'enroll', power_state: null }),
    );
    expect(await harness.done(node, { target: 'manage' })).toMatchObject({
      ...AT_REST,
      provision_state: 'manageable',
      power_state: 'power on',
    });
  });

  it('wrong credentials leave the node where it was, and say so', async () => {
    const bmc = await harness.openBmc();
    const node = harness.inventory.put(
      aRedfishNode(bmc, { redfish_password: 'wrong-one' }, { provision_state: 'enroll' }),
    );
    const after = await harness.done(node, { target: 'manage' });
    expect(after).toMatchObject({ provision_state: 'enroll', reservation: null });
    expect(after.last_error).toMatch(/^Failed to verify the power credentials\. Error: /u);
    expect(after.last_error).not.toContain('wrong-one');
  });

  it('providing has nothing to clean, and sends the machine nothing', async () => {
    const bmc = await harness.openBmc();
    const node = harness.inventory.put(aRedfishNode(bmc, {}, { provision_state: 'manageable' }));
    expect(await harness.done(node, { target: 'provide' })).toMatchObject({
      ...AT_REST,
      provision_state: 'available',
    });
    expect(bmc.requests).toEqual([]);
  });

  it('a ramdisk deployment boots the image, and tearing down takes it out again', async () => {
    const bmc = await harness.openBmc();
    const node = harness.inventory.put(
      aRedfishNode(
        bmc,
        {},
        {
          deploy_interface: 'ramdisk',
          instance_info: { boot_iso: 'http://images.example/live.iso' },
        },
      ),
    );
    expect(await harness.done(node, { target: 'active' })).toMatchObject({
      ...AT_REST,
      provision_state: 'active',
      power_state: 'power on',
    });
    expect(bmc.machine.drives['Cd']?.image).toBe('http://images.example/live.iso');
    expect(bmc.boot.target).toBe('Cd');
    expect(bmc.resets).toEqual(['On']);
    expect(await harness.done(node, { target: 'deleted' })).toMatchObject({
      ...AT_REST,
      provision_state: 'available',
      power_state: 'power off',
    });
    expect(bmc.machine.drives['Cd']?.image).toBeNull();
    expect(bmc.resets).toEqual(['On', 'ForceOff']);
  });

  it.each([
    [
      { deploy_interface: 'anaconda' },
      'Failed to deploy. Error: the deploy interface anaconda is not supported by the redfish driver; use direct or ramdisk.',
    ],
    [
      { deploy_interface: 'ramdisk' },
      'Failed to deploy. Error: instance_info.boot_iso must be an http or https address of an ISO image.',
    ],
    [
      { deploy_interface: 'ramdisk', instance_info: { boot_iso: 'file:///etc/passwd' } },
      'Failed to deploy. Error: instance_info.boot_iso must be an http or https address of an ISO image.',
    ],
  ])('%j fails, and touches nothing', async (fields, sentence) => {
    const bmc = await harness.openBmc();
    const node = harness.inventory.put(aRedfishNode(bmc, {}, fields));
    expect(await harness.done(node, { target: 'active' })).toMatchObject({
      provision_state: 'deploy failed',
      target_provision_state: 'active',
      reservation: null,
      last_error: sentence,
    });
    expect(bmc.requests).toEqual([]);
  });

  it('inspection reads the system', async () => {
    const bmc = await harness.openBmc();
    const node = harness.inventory.put(
      aRedfishNode(bmc, {}, { provision_state: 'manageable', properties: { rack: 1 } }),
    );
    expect(await harness.done(node, { target: 'inspect' })).toMatchObject({
      ...AT_REST,
      provision_state: 'manageable',
      properties: { rack: 1, cpus: 2, cpu_arch: 'x86_64', memory_mb: 98_304 },
    });
    expect(harness.inventory.documents.get(`inventory of ${node.uuid}`)).toMatchObject({
      inventory: { system_vendor: { manufacturer: 'Stub', serial_number: 'S-1' } },
    });
  });

  const bios = (settings: readonly unknown[]): ProvisionBody => ({
    target: 'clean',
    clean_steps: [{ interface: 'bios', step: 'apply_configuration', args: { settings } }],
  });

  it('a clean step sets the BIOS, and what is stored of it is read anew', async () => {
    const bmc = await harness.openBmc();
    bmc.power = 'On';
    bmc.machine.settingsWait = 'yes';
    const node = harness.inventory.put(aRedfishNode(bmc, {}, { provision_state: 'manageable' }));
    expect(await harness.done(node, bios([{ name: 'BootMode', value: 'Uefi' }]))).toMatchObject({
      ...AT_REST,
      provision_state: 'manageable',
      power_state: 'power on',
      clean_step: {},
    });
    expect(bmc.resets).toEqual(['ForceOff', 'On']);
    expect(harness.inventory.documents.get(`bios of ${node.uuid}`)).toEqual({
      settings: [
        { name: 'BootMode', value: 'Uefi' },
        { name: 'NumLock', value: 'true' },
      ],
    });
  });

  it('a setting that the BIOS does not have fails before anything is sent', async () => {
    const bmc = await harness.openBmc();
    const node = harness.inventory.put(aRedfishNode(bmc, {}, { provision_state: 'manageable' }));
    expect(await harness.done(node, bios([{ name: 'Colour', value: 'red' }]))).toMatchObject({
      provision_state: 'clean failed',
      last_error:
        'Failed to clean the node. Error: step bios.apply_configuration failed: the BIOS has no setting Colour.',
    });
    expect(bmc.requests.some(({ method }) => method === 'PATCH')).toBe(false);
    expect(bmc.resets).toEqual([]);
  });

  it('a step that Redfish does not have fails, and nothing is sent to the machine', async () => {
    const bmc = await harness.openBmc();
    const node = harness.inventory.put(aRedfishNode(bmc, {}, { provision_state: 'manageable' }));
    const steps = [{ interface: 'deploy', step: 'erase_devices' }] as const;
    expect(await harness.done(node, { target: 'clean', clean_steps: [...steps] })).toMatchObject({
      provision_state: 'clean failed',
      last_error:
        'Failed to clean the node. Error: node does not support this clean step: deploy.erase_devices.',
    });
    expect(bmc.requests).toEqual([]);
  });
});
