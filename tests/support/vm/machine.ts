import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  openSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { eventually } from '../wait.js';
import { machineDirectory, poolDirectory, virsh } from './host.js';

/** Milliseconds that a machine without hardware acceleration may take to answer, on a busy computer. */
const PATIENCE_MS = 120_000;

interface Wanted {
  readonly name: string;
  readonly mac: string;
  readonly cpus: number;
  readonly memoryMb: number;
  /** An image that the machine's disk begins with. */
  readonly disk: string;
  readonly diskGb: number;
}

/** An emulated machine, created switched off, controlled without Tenure or a BMC. */
export interface Machine {
  readonly uuid: string;
  /** `running` or `shut off`, as libvirt says. */
  readonly state: () => Promise<string>;
  /** The network cards' addresses, as libvirt says. */
  macs(): Promise<readonly string[]>;
  /** All output of its serial console, over all its starts. */
  console(): string;
  /** Waits until lines of the console match; returns them in order. */
  shows(pattern: RegExp, atLeast?: number): Promise<readonly string[]>;
  /** Takes the machine away, running or not. */
  remove(): Promise<void>;
}

interface Files {
  readonly disk: string;
  readonly console: string;
}

/** Defines an emulated machine. Remove it in `afterAll`. */
export async function defineMachine(wanted: Wanted): Promise<Machine> {
  const uuid = randomUUID();
  const base = path.join(machineDirectory(), wanted.name);
  const disk = path.join(poolDirectory(), `${wanted.name}.disk`);
  copyFileSync(wanted.disk, disk);
  truncateSync(disk, wanted.diskGb * 1024 ** 3);
  const files = { disk: open(disk), console: open(`${base}.console`) };
  writeFileSync(`${base}.xml`, domain(uuid, wanted, files));
  // The BMC shows the disks that are volumes of the pool.
  await virsh('pool-refresh', 'default');
  await virsh('define', `${base}.xml`);
  const output = (): string => readFileSync(files.console, 'latin1');
  const state = (): Promise<string> => virsh('domstate', uuid);
  return {
    uuid,
    state,
    macs: async () => {
      const rows = (await virsh('domiflist', uuid)).split('\n').filter(isLine);
      return rows.map((row) => row.trim().split(/\s+/u).at(-1) ?? '');
    },
    console: output,
    shows: (pattern, atLeast = 1) =>
      eventually(
        () =>
          output()
            .split(/\r?\n/u)
            .filter((line) => pattern.test(line)),
        (lines) => lines.length >= atLeast,
        { within: PATIENCE_MS, what: `line ${String(pattern)} on the console of ${wanted.name}` },
      ),
    remove: async () => {
      if ((await state()) === 'running') await virsh('destroy', uuid);
      await virsh('undefine', uuid);
    },
  };
}

/** A file that whoever the machine runs as may write. */
function open(file: string): string {
  closeSync(openSync(file, 'a'));
  chmodSync(file, 0o666);
  return file;
}

const domain = (uuid: string, { name, mac, cpus, memoryMb }: Wanted, files: Files): string => `
<domain type='qemu'>
  <name>${name}</name>
  <uuid>${uuid}</uuid>
  <memory unit='MiB'>${String(memoryMb)}</memory>
  <vcpu>${String(cpus)}</vcpu>
  <os><type arch='x86_64' machine='pc'>hvm</type></os>
  <features><acpi/><apic/></features>
  <devices>
    <disk type='file' device='disk'>
      <driver name='qemu' type='raw'/>
      <source file='${files.disk}'/>
      <target dev='vda' bus='virtio'/>
      <boot order='1'/>
    </disk>
    <interface type='user'>
      <mac address='${mac}'/>
      <model type='virtio'/>
      <rom enabled='no'/>
    </interface>
    <serial type='file'>
      <source path='${files.console}' append='on'/>
      <target port='0'/>
    </serial>
    <controller type='usb' model='none'/>
    <memballoon model='none'/>
  </devices>
</domain>`;

const isLine = (text: string): boolean => text !== '';
