import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type NodeRecord } from '@tenure/contracts';
import { deadlineIn } from '@tenure/process';
import { type JobResult } from '../../ports/provisioning.js';
import { aJob } from '../../testing/jobs.js';
import { aRedfishNode } from '../../testing/nodes.js';
import { failureOf, RedfishBench } from '../../testing/redfish-bench.js';
import { type StubBmc } from '../../testing/stub-bmc.js';

let bench: RedfishBench;
let bmc: StubBmc;

beforeEach(async () => {
  bench = await RedfishBench.open();
  ({ bmc } = bench);
});

afterEach(async () => {
  await bench.close();
});

const STORAGE = '/redfish/v1/Systems/1/Storage';
const link = (path: string): unknown => ({ '@odata.id': path });
const GIB = 1024 ** 3;

function inspect(fields: Partial<NodeRecord> = {}): Promise<JobResult> {
  const job = bench.driver.provisioning.jobs.inspecting;
  if (job === undefined) throw new Error('no inspection');
  return job(aRedfishNode(bmc, {}, fields), aJob(), deadlineIn(15_000));
}

const disk = (gib: number, more: Readonly<Record<string, unknown>> = {}) => ({
  Name: 'Disk',
  CapacityBytes: gib * GIB,
  ...more,
});

function addDrives(): void {
  bmc.machine.addParts('Storage', {
    A: { Drives: [link(`${STORAGE}/A/Drives/1`), link(`${STORAGE}/A/Drives/2`)] },
  });
  bmc.machine.parts[`${STORAGE}/A/Drives/1`] = disk(400, {
    Model: 'D-400',
    Manufacturer: 'Acme',
    SerialNumber: 'W-1',
    MediaType: 'HDD',
  });
  bmc.machine.parts[`${STORAGE}/A/Drives/2`] = disk(100, { MediaType: 'SSD' });
}

function addInterfaces(): void {
  bmc.machine.addParts('EthernetInterfaces', {
    eno1: {
      MACAddress: '52:54:00:AA:00:01',
      LinkStatus: 'LinkUp',
      SpeedMbps: 10_000,
      Status: { State: 'Enabled' },
    },
    eno2: { PermanentMACAddress: '52-54-00-AA-00-02', Status: { State: 'Disabled' } },
    eno3: { MACAddress: '00:00:00:00:00:00', Status: { State: 'Enabled' } },
    eno4: { MACAddress: 'none', Status: { State: 'Enabled' } },
  });
}

describe('an inspection over redfish', () => {
  it('finds processors, memory, disks, network cards and the boot mode', async () => {
    addDrives();
    addInterfaces();
    bmc.machine.bootMode = 'UEFI';
    expect(await inspect({ properties: { rack: 1, capabilities: 'gpu:yes' } })).toEqual({
      set: {
        properties: {
          rack: 1,
          cpus: 2,
          cpu_arch: 'x86_64',
          memory_mb: 98_304,
          local_gb: 99,
          capabilities: 'gpu:yes,boot_mode:uefi',
        },
      },
      inventory: {
        inventory: {
          cpu: { count: 2, architecture: 'x86_64', model_name: null },
          memory: { physical_mb: 98_304 },
          disks: [
            {
              name: 'Disk',
              size: 429_496_729_600,
              model: 'D-400',
              vendor: 'Acme',
              serial: 'W-1',
              rotational: true,
            },
            {
              name: 'Disk',
              size: 107_374_182_400,
              model: null,
              vendor: null,
              serial: null,
              rotational: false,
            },
          ],
          interfaces: [
            {
              name: 'eno1',
              mac_address: '52:54:00:aa:00:01',
              has_carrier: true,
              speed_mbps: 10_000,
            },
            {
              name: 'eno2',
              mac_address: '52:54:00:aa:00:02',
              has_carrier: null,
              speed_mbps: null,
            },
          ],
          system_vendor: { manufacturer: 'Stub', product_name: null, serial_number: 'S-1' },
          boot: { current_boot_mode: 'uefi', pxe_interface: null },
        },
        plugin_data: {},
      },
      ports: [{ address: '52:54:00:aa:00:01', pxeEnabled: true }],
    });
  });

  it('counts volumes where there are any', async () => {
    addDrives();
    bmc.machine.parts[`${STORAGE}/A`] = {
      ...bmc.machine.parts[`${STORAGE}/A`],
      Volumes: link(`${STORAGE}/A/Volumes`),
    };
    bmc.machine.addParts('Storage/A/Volumes', { V: disk(50), Small: disk(3), None: {} });
    const { set } = await inspect();
    expect(set).toMatchObject({ properties: { local_gb: 49 } });
  });

  it('reads the simple storage of an old BMC', async () => {
    bmc.machine.addParts('SimpleStorage', { 1: { Devices: [disk(20), { Name: 'empty slot' }] } });
    const { set, inventory } = await inspect();
    expect(set).toMatchObject({ properties: { local_gb: 19 } });
    expect(inventory).toMatchObject({ inventory: { disks: [{ size: 21_474_836_480 }] } });
  });

  it('of a BMC that reports little keeps the recorded properties', async () => {
    bmc.machine.bootMode = undefined;
    expect(await inspect({ properties: { local_gb: 7 } })).toMatchObject({
      set: { properties: { local_gb: 7, cpus: 2 } },
      inventory: { inventory: { disks: [], interfaces: [] } },
      ports: [],
    });
  });

  it('does not change a boot mode that was set on the node', async () => {
    bmc.machine.bootMode = 'UEFI';
    const { set } = await inspect({ properties: { capabilities: 'boot_mode:bios' } });
    expect(set).toMatchObject({ properties: { capabilities: 'boot_mode:bios' } });
  });

  it('never follows a link to another host', async () => {
    bmc.machine.addParts('Storage', { A: { Drives: [link('https://192.0.2.1/drive')] } });
    expect(await inspect()).toMatchObject({ inventory: { inventory: { disks: [] } } });
  });

  it('of a BMC that answers 500 for its storage finds the rest, and its simple storage', async () => {
    bmc.machine.addParts('Storage', {});
    bmc.machine.addParts('SimpleStorage', { 1: { Devices: [disk(20)] } });
    const { machine } = bmc;
    const answer = machine.answer.bind(machine);
    jest
      .spyOn(machine, 'answer')
      .mockImplementation((method, path, body, ifMatch) =>
        path === STORAGE ? { status: 500 } : answer(method, path, body, ifMatch),
      );
    const { set } = await inspect();
    expect(set).toMatchObject({ properties: { cpus: 2, memory_mb: 98_304, local_gb: 19 } });
  });

  it('fails when a part cannot be read', async () => {
    bmc.machine.addParts('Storage', { A: { Drives: [link(`${STORAGE}/A/Drives/9`)] } });
    expect(await failureOf(inspect())).toMatchObject({
      message: 'the answer of the BMC was not Redfish',
    });
  });

  it('goes without the disks of a BMC that answers for them with an error', async () => {
    addDrives();
    addInterfaces();
    bmc.faults.failing[STORAGE] = 500;
    const { set, ports } = await inspect({ properties: { local_gb: 7 } });
    expect(set).toMatchObject({ properties: { cpus: 2, local_gb: 7 } });
    expect(ports).toEqual([{ address: '52:54:00:aa:00:01', pxeEnabled: true }]);
  });
});
