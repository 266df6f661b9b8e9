import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { nodeOf } from '../support/fleet.js';
import { askLatest } from '../support/http-client.js';
import { newMac } from '../support/node-parts.js';
import { inProject, newProject, systemAdmin } from '../support/personas.js';
import { redfishSystemId } from '../support/sushy-emulator.js';
import { type Bench, startBench } from '../support/vm/bench.js';
import { bootImage } from '../support/vm/boot-image.js';
import { defineMachine, type Machine } from '../support/vm/machine.js';
import { inSteps } from '../support/vm/steps.js';

// A machine reports its own hardware: the conductor boots an agent over virtual media, and this speaks to the
// gateway from inside the machine, with the secret that it finds on its kernel's command line and nowhere else. Nothing that
// it hands in is in this suite's images or settings.

const project = newProject('vm-agent');
const owner = inProject(project, 'admin');
const name = `${project}-machine`;
const mac = newMac();
const nonce = randomBytes(8).toString('hex');
// The host's loopback, as a machine of libvirt's user network sees it.
const HOST = '10.0.2.2';

let bench: Bench;
let machine: Machine;
let deployIso: string;

beforeAll(async () => {
  bench = await startBench();
  const disk = await bootImage({ medium: 'disk', nonce });
  machine = await defineMachine({ name, mac, cpus: 2, memoryMb: 1024, disk, diskGb: 8 });
  const parameters = [`ipa-api-url=http://${HOST}:${String(bench.tenure.ports.gateway)}`];
  const image = await bootImage({ medium: 'cdrom', nonce, parameters });
  deployIso = bench.images.serve('ramdisk.iso', image);
});

afterAll(async () => {
  await machine.remove();
  await bench.stop();
});

describe('an agent on a machine that really boots', () => {
  const step = inSteps();

  it(
    'is booted by an inspection',
    step(async () => {
      await bench.enrol(machine, { name, owner: project, inspectInterface: 'agent', deployIso });
      expect(await bench.baremetal.say(owner, `node manage ${name}`)).toBe('ok');
      const { uuid } = await bench.atRest(name, 'manageable');
      await bench.baremetal.json(systemAdmin, `port create --node ${String(uuid)} ${mac}`);
      expect(await bench.baremetal.say(owner, `node inspect ${name}`)).toBe('ok');
      await bench.reaches(name, 'inspect wait');
      expect(await machine.state()).toBe('running');
      const { Image: medium } = await bench.bmc.read(
        `${redfishSystemId(machine.uuid)}/VirtualMedia/Cd`,
      );
      expect(medium).toContain(`/media/${String(uuid)}/`);
    }),
  );

  it(
    'finds its node by its network card, reports, and hands in what it found',
    step(async () => {
      const { uuid } = await nodeOf(bench.tenure, name);
      expect(await machine.shows(/^TENURE agent found/u)).toEqual([
        `TENURE agent found uuid=${String(uuid)}`,
      ]);
      await machine.shows(/^TENURE agent reported/u);
      expect(await bench.atRest(name, 'manageable')).toMatchObject({
        last_error: null,
        power_state: 'power off',
        inspection_finished_at: expect.stringMatching(/^20/u),
        properties: { cpus: 2, cpu_arch: 'x86_64', memory_mb: 1024, local_gb: 7 },
      });
      const stored = await askLatest(bench.tenure, owner, `GET /v1/nodes/${name}/inventory`);
      expect([stored.status, stored.json]).toMatchObject([
        200,
        {
          inventory: {
            interfaces: [{ name: 'eth0', mac_address: mac }],
            cpu: { count: 2, architecture: 'x86_64' },
            memory: { physical_mb: 1024 },
            disks: [{ name: '/dev/vda', size: 8_589_934_592 }],
          },
        },
      ]);
    }),
  );

  it(
    'has no right left when its work is done',
    step(async () => {
      const again = await askLatest(bench.tenure, null, `GET /v1/lookup?addresses=${mac}`);
      expect(again.status).toBe(404);
      const { driver_internal_info: internal } = await nodeOf(bench.tenure, name);
      expect(internal).not.toHaveProperty('agent_secret_token');
      expect(internal).not.toHaveProperty('agent_url');
    }),
  );
});
