import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { deadlineIn } from '@tenure/process';
import { type WorkResult } from '../../domain/provision/fields.js';
import { aJob } from '../../testing/jobs.js';
import { aRedfishNode } from '../../testing/nodes.js';
import { failureOf, RedfishBench } from '../../testing/redfish-bench.js';
import { type StubBmc } from '../../testing/stub-bmc.js';
import { type StubRaid } from '../../testing/stub-raid.js';

let bench: RedfishBench;
let bmc: StubBmc;
let raid: StubRaid;

beforeEach(async () => {
  bench = await RedfishBench.open();
  ({ bmc } = bench);
  bmc.power = 'On';
  raid = bmc.machine.addRaid();
});

afterEach(async () => {
  await bench.close();
});

const VOLUMES = '/redfish/v1/Systems/1/Storage/R/Volumes';
const drive = (id: string) => ({ '@odata.id': `/redfish/v1/Systems/1/Storage/R/Drives/${id}` });
const GIB = 1024 ** 3;
const OLD = { RAIDType: 'RAID0', CapacityBytes: 20 * GIB, Links: { Drives: [drive('D1')] } };

type Args = Readonly<Record<string, unknown>>;

function run(
  name: string,
  { disks, args = {}, ms = 5000 }: { disks?: readonly Args[]; args?: Args; ms?: number } = {},
): Promise<WorkResult> {
  const steps = bench.driver.provisioning.steps.cleaning ?? [];
  const step = steps.find((one) => one.step === name);
  if (step === undefined) throw new Error(`no ${name}`);
  const target = disks === undefined ? {} : { logical_disks: disks };
  const node = aRedfishNode(bmc, {}, { target_raid_config: target });
  return step.run(node, { args, ...aJob() }, deadlineIn(ms));
}
const create = (disks: readonly Args[], args: Args = {}, ms = 5000): Promise<WorkResult> =>
  run('create_configuration', { disks, args, ms });
const changes = (): readonly unknown[] =>
  bmc.requests
    .filter(({ method, path }) => method !== 'GET' && !path.includes('Sessions'))
    .map(({ method, path }) => `${method} ${path}`);
const posts = (): number => changes().filter((one) => one === `POST ${VOLUMES}`).length;

const MIRROR = { raid_level: '1', size_gb: 10, volume_name: 'root', is_root_volume: true };
const MADE = {
  id: 'V1',
  controller: 'R',
  raid_level: '1',
  size_gb: 10,
  volume_name: 'root',
  physical_disks: ['D1', 'D2'],
};

describe('create_configuration', () => {
  it('makes the volumes, and says what was read back', async () => {
    expect(await create([MIRROR, { raid_level: '0', size_gb: 'MAX', disk_type: 'ssd' }])).toEqual({
      set: {
        raid_config: {
          logical_disks: [
            MADE,
            {
              id: 'V2',
              controller: 'R',
              raid_level: '0',
              size_gb: null,
              volume_name: null,
              physical_disks: ['D3'],
            },
          ],
        },
      },
    });
    expect(
      bmc.requests.filter(({ method, path }) => method === 'POST' && path === VOLUMES),
    ).toMatchObject([
      {
        body: {
          RAIDType: 'RAID1',
          CapacityBytes: 10_737_418_240,
          Name: 'root',
          Links: { Drives: [drive('D1'), drive('D2')] },
        },
      },
      { body: { RAIDType: 'RAID0', Links: { Drives: [drive('D3')] } } },
    ]);
  });

  it('waits for the task of the BMC', async () => {
    raid.works = 'task';
    expect(await create([MIRROR])).toEqual({ set: { raid_config: { logical_disks: [MADE] } } });
    expect(posts()).toBe(1);
  });

  it('says that the task failed', async () => {
    raid.works = 'task';
    raid.taskEnds = 'Exception';
    expect(await failureOf(create([MIRROR]))).toMatchObject({
      message: 'the BMC could not create a RAID volume',
    });
    expect(posts()).toBe(1);
  });

  it('times out on a task that does not end', async () => {
    raid.works = 'task';
    raid.taskLooks = 1_000_000;
    expect(await failureOf(create([MIRROR], {}, 3000))).toMatchObject({
      kind: 'timeout',
      message: 'the BMC did not create a RAID volume in time',
    });
    expect(posts()).toBe(1);
  });

  it('never looks for a task on another host', async () => {
    const other = await bench.openBmc();
    raid.works = 'task';
    raid.taskAt = `${other.origin}/redfish/v1/TaskService/TaskMonitors/1`;
    expect(await failureOf(create([MIRROR], {}, 3000))).toMatchObject({ kind: 'no_effect' });
    expect(other.requests).toEqual([]);
  });

  it('restarts a machine whose controller works at its start', async () => {
    raid.works = 'start';
    expect(await create([MIRROR])).toEqual({
      set: { power_state: 'power on', raid_config: { logical_disks: [MADE] } },
    });
    expect(bmc.resets).toEqual(['ForceOff', 'On']);
  });

  it('does not believe a 201', async () => {
    raid.deaf = true;
    expect(await failureOf(create([MIRROR], {}, 3000))).toMatchObject({
      kind: 'no_effect',
      message: 'the BMC took the RAID volumes, but does not show them',
    });
    expect(posts()).toBe(1);
  });

  it('sends a POST once, and looks for the volume when the answer was a failure', async () => {
    raid.postStatus = 500;
    expect(await create([MIRROR])).toEqual({ set: { raid_config: { logical_disks: [MADE] } } });
    expect(posts()).toBe(1);
    raid.volumes.clear();
    raid.deaf = true;
    expect(await failureOf(create([MIRROR]))).toMatchObject({
      message: 'the answer of the BMC was not Redfish',
    });
    expect(posts()).toBe(2);
  });

  it('uses free drives only, or deletes the existing volumes when that is requested', async () => {
    raid.add('Old', OLD);
    expect(await create([{ ...MIRROR, disk_type: 'ssd' }])).toMatchObject({
      set: { raid_config: { logical_disks: [{ id: 'Old' }, { physical_disks: ['D3', 'D4'] }] } },
    });
    const again = await create([MIRROR], { delete_existing: true });
    expect(again).toEqual({ set: { raid_config: { logical_disks: [{ ...MADE, id: 'V2' }] } } });
  });

  it.each([
    [
      [{ raid_level: '5', size_gb: 10, disk_type: 'ssd' }],
      'no RAID controller has the free drives for a logical disk of RAID level 5',
    ],
    [
      [MIRROR, { raid_level: '0', size_gb: 1, controller: 'X' }],
      'no RAID controller has the free drives for a logical disk of RAID level 0',
    ],
    [
      [{ raid_level: '1', size_gb: 1, controller: 'R', physical_disks: ['D1', 'D9'] }],
      'no RAID controller has the free drives for a logical disk of RAID level 1',
    ],
    [[{ raid_level: '2', size_gb: 10 }], 'RAID level 2 cannot be made over Redfish'],
    [[], 'the node has no target RAID configuration to be made'],
  ])('%j is refused before anything is sent', async (disks, message) => {
    expect(await failureOf(create(disks))).toMatchObject({ message });
    expect(changes()).toEqual([]);
  });

  it('gives no drive to two volumes', async () => {
    const mirror = { raid_level: '1', size_gb: 10 };
    expect(await create([mirror, mirror])).toMatchObject({
      set: {
        raid_config: {
          logical_disks: [{ physical_disks: ['D1', 'D2'] }, { physical_disks: ['D3', 'D4'] }],
        },
      },
    });
  });

  it('makes only what the arguments ask for', async () => {
    const disks = [MIRROR, { raid_level: '0', size_gb: 5 }];
    await create(disks, { create_root_volume: false });
    expect([...raid.volumes.values()].map(({ RAIDType: type }) => type)).toEqual(['RAID0']);
  });
});

describe('delete_configuration', () => {
  it.each(['at once', 'task', 'start'] as const)('deletes every volume (%s)', async (works) => {
    raid.works = works;
    raid.add('A', OLD);
    raid.add('B', { ...OLD, Links: { Drives: [drive('D2')] } });
    raid.add('Raw', { VolumeType: 'RawDevice' });
    expect(await run('delete_configuration')).toMatchObject({ set: { raid_config: {} } });
    expect([...raid.volumes.keys()]).toEqual([`${VOLUMES}/Raw`]);
    expect(bmc.resets).toEqual(works === 'start' ? ['ForceOff', 'On'] : []);
  });

  it('sends nothing when there is none', async () => {
    expect(await run('delete_configuration')).toEqual({ set: { raid_config: {} } });
    expect(changes()).toEqual([]);
  });

  it('does not believe a 204', async () => {
    raid.add('A', OLD);
    raid.deaf = true;
    expect(await failureOf(run('delete_configuration', { ms: 700 }))).toMatchObject({
      kind: 'no_effect',
      message: 'the BMC still shows the deleted RAID volumes',
    });
  });

  it('needs a controller', async () => {
    bmc.machine.raid = undefined;
    expect(await failureOf(run('delete_configuration'))).toMatchObject({
      kind: 'unsupported',
      message: 'the BMC shows no RAID controller',
    });
  });
});
