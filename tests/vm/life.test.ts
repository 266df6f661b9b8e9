import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { askLatest } from '../support/http-client.js';
import { newMac } from '../support/node-parts.js';
import { inProject, newProject, systemAdmin } from '../support/personas.js';
import { redfishSystemId } from '../support/sushy-emulator.js';
import { type Bench, startBench } from '../support/vm/bench.js';
import { bootImage } from '../support/vm/boot-image.js';
import { configDrive } from '../support/vm/config-drive.js';
import { defineMachine, type Machine } from '../support/vm/machine.js';
import { inSteps } from '../support/vm/steps.js';
import { eventually } from '../support/wait.js';

// One machine, from its enrolment to its return, each step on top of the one before. The machine's actions are read off
// its own serial console and queried from libvirt; the nonces say that it was this image, and nothing left from before.

const project = newProject('vm');
const tenant = newProject('vm-tenant');
const owner = inProject(project, 'admin');
const lessee = inProject(tenant, 'member');
const lesseeAdmin = inProject(tenant, 'admin');
const name = `${project}-machine`;
const mac = newMac();
const isoNonce = randomBytes(8).toString('hex');
const diskNonce = randomBytes(8).toString('hex');

const fromIso = new RegExp(
  `^TENURE booted medium=cdrom nonce=${isoNonce} file=${isoNonce} boot=`,
  'u',
);
const fromDisk = new RegExp(
  `^TENURE booted medium=disk nonce=${diskNonce} file=${diskNonce} boot=`,
  'u',
);

let bench: Bench;
let machine: Machine;
let iso: string;

beforeAll(async () => {
  bench = await startBench();
  const disk = await bootImage({ medium: 'disk', nonce: diskNonce });
  machine = await defineMachine({ name, mac, cpus: 2, memoryMb: 1024, disk, diskGb: 8 });
  iso = bench.images.serve('tenant.iso', await bootImage({ medium: 'cdrom', nonce: isoNonce }));
});

afterAll(async () => {
  await machine.remove();
  await bench.stop();
});

const node = (command: string): string => `node ${command.replace('NODE', name)}`;
const drive = (): Promise<Readonly<Record<string, unknown>>> =>
  bench.bmc.read(`${redfishSystemId(machine.uuid)}/VirtualMedia/Cd`);
async function bootTarget(): Promise<unknown> {
  const { Boot: boot } = await bench.bmc.read(redfishSystemId(machine.uuid));
  return (boot as { readonly BootSourceOverrideTarget: unknown }).BootSourceOverrideTarget;
}
const isInState = (wished: string): Promise<string> =>
  eventually(machine.state, (state) => state === wished, { within: 60_000 });

/** The ids that the machine's kernel gave itself at each start, in order. */
const startsIn = (lines: readonly string[]): readonly string[] =>
  lines.map((line) => line.replace(/^.* boot=/u, ''));

describe('a machine that really boots', () => {
  const step = inSteps();

  it(
    'is enrolled and verified',
    step(async () => {
      await bench.enrol(machine, { name, owner: project, lessee: tenant });
      expect(await bench.baremetal.say(owner, node('manage NODE'))).toBe('ok');
      expect(await bench.atRest(name, 'manageable')).toMatchObject({
        power_state: 'power off',
        last_error: null,
      });
    }),
  );

  it(
    'is inspected: its processors, its memory, its disk and its network card',
    step(async () => {
      expect(await bench.baremetal.say(owner, node('inspect NODE'))).toBe('ok');
      const inspected = await bench.atRest(name, 'manageable');
      expect(inspected).toMatchObject({
        last_error: null,
        inspection_finished_at: expect.stringMatching(/^20/u),
        // Ironic leaves one GiB of the disk for partition tables.
        properties: { cpus: 2, memory_mb: 1024, local_gb: 7 },
      });
      expect(await machine.macs()).toEqual([mac]);
      expect(
        await bench.baremetal.json(owner, `port list --node ${name} --fields address`),
      ).toEqual([{ address: mac }]);
    }),
  );

  it(
    'boots the ISO that its tenant requested',
    step(async () => {
      expect(await bench.baremetal.say(owner, node('provide NODE'))).toBe('ok');
      await bench.atRest(name, 'available');
      expect(await machine.state()).toBe('shut off');
      expect(machine.console()).toBe('');

      const answer = await bench.baremetal.say(
        lesseeAdmin,
        node(`set NODE --instance-info boot_iso=${iso}`),
      );
      expect(answer).toBe('ok');
      expect(await bench.baremetal.say(lesseeAdmin, node('deploy NODE'))).toBe('ok');
      expect(await bench.atRest(name, 'active')).toMatchObject({
        power_state: 'power on',
        last_error: null,
      });
      expect(await machine.state()).toBe('running');
      expect(await drive()).toMatchObject({ Inserted: true, Image: iso });
      expect(await bootTarget()).toBe('Cd');
      expect(await machine.shows(fromIso)).toHaveLength(1);
      expect(bench.images.fetches('tenant.iso')).toBe(1);
    }),
  );

  it(
    'takes an interrupt that its kernel sees',
    step(async () => {
      await machine.shows(/^TENURE ready/u);
      expect(await bench.baremetal.say(owner, node('inject nmi NODE'))).toBe('ok');
      await machine.shows(/NMI received for unknown reason/u);
    }),
  );

  it(
    'reboots',
    step(async () => {
      expect(await bench.baremetal.say(lessee, node('reboot NODE'))).toBe('ok');
      await bench.atRest(name, 'active');
      const starts = startsIn(await machine.shows(fromIso, 2));
      expect(new Set(starts).size).toBe(2);
      expect(await machine.state()).toBe('running');
    }),
  );

  it(
    'shuts down in order on request',
    step(async () => {
      await machine.shows(/^TENURE watching the power button/u, 2);
      expect(await bench.baremetal.say(lessee, node('power off --soft NODE'))).toBe('ok');
      await machine.shows(/^TENURE power button pressed/u);
      expect(await bench.atRest(name, 'active')).toMatchObject({
        power_state: 'power off',
        last_error: null,
      });
      expect(await machine.state()).toBe('shut off');
    }),
  );

  it(
    'finds a second medium',
    step(async () => {
      const floppy = bench.images.serve(
        'config.img',
        await configDrive({ hostname: 'of-the-tenant' }),
      );
      const attached = await bench.clients.sdk(
        lessee,
        `result = conn.baremetal.attach_vmedia_to_node("${name}", "floppy", "${floppy}")`,
      );
      expect(attached.error).toBeNull();
      expect(await bench.baremetal.say(lessee, node('power on NODE'))).toBe('ok');
      await bench.atRest(name, 'active');
      expect(await machine.shows(/^TENURE config-2 \{/u)).toEqual([
        'TENURE config-2 {"hostname":"of-the-tenant"}',
      ]);
      expect(await machine.shows(fromIso, 3)).toHaveLength(3);
    }),
  );

  it(
    'is powered off at once, and boots its disk when the media are ejected',
    step(async () => {
      expect(await bench.baremetal.say(lessee, node('power off NODE'))).toBe('ok');
      expect(await bench.atRest(name, 'active')).toMatchObject({ power_state: 'power off' });
      expect(await machine.state()).toBe('shut off');
      const detached = await bench.clients.sdk(
        lessee,
        `result = conn.baremetal.detach_vmedia_from_node("${name}")`,
      );
      expect(detached.error).toBeNull();
      expect(await drive()).toMatchObject({ Inserted: false });
      expect(await bench.baremetal.say(owner, node('boot device set NODE disk --persistent'))).toBe(
        'ok',
      );
      expect(await bootTarget()).toBe('Hdd');
      expect(await bench.baremetal.say(lessee, node('power on NODE'))).toBe('ok');
      expect(await bench.atRest(name, 'active')).toMatchObject({ power_state: 'power on' });
      expect(await machine.state()).toBe('running');
      expect(await machine.shows(fromDisk)).toHaveLength(1);
    }),
  );

  it(
    'boots the ISO anew on a rebuild',
    step(async () => {
      expect(await bench.baremetal.say(lesseeAdmin, node('rebuild NODE'))).toBe('ok');
      await bench.atRest(name, 'active');
      expect(await drive()).toMatchObject({ Inserted: true, Image: iso });
      expect(await machine.shows(fromIso, 4)).toHaveLength(4);
    }),
  );

  it(
    'is given back switched off, with nothing of the tenant’s in its drive',
    step(async () => {
      expect(await bench.baremetal.say(lesseeAdmin, node('undeploy NODE'))).toBe('ok');
      expect(await bench.atRest(name, 'available')).toMatchObject({
        power_state: 'power off',
        last_error: null,
        instance_info: {},
      });
      await isInState('shut off');
      expect(await drive()).toMatchObject({ Inserted: false });
    }),
  );

  it(
    'never shows its BMC’s password',
    step(async () => {
      const seen = await askLatest(bench.tenure, systemAdmin, `GET /v1/nodes/${name}`);
      expect(seen.status).toBe(200);
      expect(seen.text).not.toContain(bench.password);
      expect(bench.tenure.log()).not.toContain(bench.password);
    }),
  );
});
