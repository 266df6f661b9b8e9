import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { nodeOf } from '../support/fleet.js';
import { askLatest } from '../support/http-client.js';
import { newMac } from '../support/node-parts.js';
import { replaces } from '../support/patch.js';
import { inProject, newProject } from '../support/personas.js';
import { redfishSystemId } from '../support/sushy-emulator.js';
import { type Bench, startBench } from '../support/vm/bench.js';
import { bootImage } from '../support/vm/boot-image.js';
import { defineMachine, type Machine } from '../support/vm/machine.js';
import { eventually } from '../support/wait.js';

// BIOS settings of a machine that really starts, as the emulator keeps them with its domain: changed by a tenant, and as
// they were when the next one gets the machine.

type Fields = Readonly<Record<string, unknown>>;

const ownerProject = newProject('vm-settings');
const lesseeProject = newProject('vm-settings-lessee');
const owner = inProject(ownerProject, 'admin');
const lessee = inProject(lesseeProject, 'admin');
const name = `${ownerProject}-machine`;

let bench: Bench;
let machine: Machine;

beforeAll(async () => {
  bench = await startBench();
  const disk = await bootImage({ medium: 'disk', nonce: 'settings' });
  machine = await defineMachine({ name, mac: newMac(), cpus: 1, memoryMb: 512, disk, diskGb: 8 });
});

afterAll(async () => {
  await machine.remove();
  await bench.stop();
});

async function nicBoot(): Promise<unknown> {
  const { Attributes: attributes } = await bench.bmc.read(`${redfishSystemId(machine.uuid)}/BIOS`);
  return (attributes as Fields)['NicBoot1'];
}

async function handover(): Promise<Fields> {
  const { json } = await askLatest(
    bench.tenure,
    owner,
    `GET /v1/nodes/${name}/handovers?detail=true`,
  );
  const [found] = (json as { readonly handovers: readonly Fields[] }).handovers;
  if (found === undefined) throw new Error('no handover');
  return found;
}

describe('BIOS settings that a tenant changed', () => {
  it('are put back on the machine before its handover is complete, and the record says so', async () => {
    const { tenure } = bench;
    await bench.enrol(machine, { name, owner: ownerProject, lessee: lesseeProject });
    expect(await bench.baremetal.say(owner, `node manage ${name}`)).toBe('ok');
    await bench.atRest(name, 'manageable');
    expect(await nicBoot()).toBe('NetworkBoot');

    const settings = [{ name: 'NicBoot1', value: 'NotEnabled' }];
    const clean_steps = [{ interface: 'bios', step: 'apply_configuration', args: { settings } }];
    const answer = await askLatest(tenure, lessee, `PUT /v1/nodes/${name}/states/provision`, {
      target: 'clean',
      clean_steps,
    });
    expect([answer.status, answer.text]).toEqual([202, '']);
    await bench.reaches(name, 'manageable');
    expect(await bench.atRest(name, 'manageable')).toMatchObject({ last_error: null });
    expect(await nicBoot()).toBe('NotEnabled');

    const relabelled = await askLatest(
      tenure,
      owner,
      `PATCH /v1/nodes/${name}`,
      replaces('lessee', null),
    );
    expect(relabelled.status).toBe(200);
    await eventually(nicBoot, (value) => value === 'NetworkBoot', {
      within: 90_000,
      what: 'former BIOS setting',
    });
    expect((await handover())['status']).not.toBe('complete');
    const record = await eventually(handover, ({ status }) => status === 'complete', {
      within: 90_000,
      what: 'complete handover',
    });
    expect(record).toMatchObject({
      put_back: { bios: { NicBoot1: 'NetworkBoot' } },
      steps: expect.arrayContaining([expect.objectContaining({ step: 'bios', outcome: 'done' })]),
    });
    expect(await nicBoot()).toBe('NetworkBoot');
    expect(await machine.state()).toBe('shut off');
    expect(await nodeOf(tenure, name)).toMatchObject({ power_state: 'power off' });
  });
});
