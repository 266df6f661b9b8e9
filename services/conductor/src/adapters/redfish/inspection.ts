import { type NodeRecord } from '@tenure/contracts';
import { type Deadline, deadlineWithin } from '@tenure/process';
import { type BootMode } from '../../domain/boot-mode.js';
import { bootModeCapability, type HardwareFacts, propertiesWith } from '../../domain/inspection.js';
import { type Fields } from '../../domain/provision/fields.js';
import { type FoundPort, type JobResult } from '../../ports/provisioning.js';
import { type BmcClient } from './bmc-client.js';
import { overrideMode } from './boot-mode.js';
import { readMembers } from './collection.js';
import { type Disk, localGbOf, readDisks } from './disks.js';
import { type Json, linkOf, objectOf, textOf } from './json.js';
import { type FindTarget } from './target.js';

/** Milliseconds that a whole inspection is given. */
const INSPECT_MS = 300_000;

const ARCHITECTURES: ReadonlyMap<string | undefined, string> = new Map([
  ['x86', 'x86_64'],
  ['ARM', 'aarch64'],
  ['ppc64', 'ppc64le'],
]);

interface Interface {
  readonly name: string | null;
  readonly mac_address: string;
  readonly has_carrier: boolean | null;
  readonly speed_mbps: number | null;
  readonly isEnabled: boolean;
}

const MAC = /^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$/u;
const NO_MAC = '00:00:00:00:00:00';
const LINKS: ReadonlyMap<unknown, boolean> = new Map([
  ['LinkUp', true],
  ['LinkDown', false],
  ['NoLink', false],
]);

/** The inventory of a system as its BMC reports it: processors, memory, disks, network cards, boot mode. */
export async function inspect(
  find: FindTarget,
  node: NodeRecord,
  deadline: Deadline,
): Promise<JobResult> {
  const { bmc, path } = await find(node, deadlineWithin(deadline, INSPECT_MS));
  const { data: system } = await bmc.read(path);
  const disks = await readDisks(bmc, system);
  const interfaces = await readInterfaces(bmc, system);
  const facts = factsIn(system, disks);
  const properties = {
    ...propertiesWith(node, facts),
    ...bootModeCapability(node, bootModeOf(system)),
  };
  return {
    set: { properties },
    inventory: documentIn(system, facts, { disks, interfaces }),
    ports: portsOf(interfaces),
  };
}

async function readInterfaces(bmc: BmcClient, system: Json): Promise<readonly Interface[]> {
  const found = await readMembers(bmc, linkOf(system['EthernetInterfaces']));
  return found.flatMap(({ data }) => interfaceOf(data));
}

function factsIn(system: Json, disks: readonly Disk[]): HardwareFacts {
  const processors = objectOf(system['ProcessorSummary']);
  const memory = objectOf(system['MemorySummary'])['TotalSystemMemoryGiB'];
  return {
    cpus: positive(processors['LogicalProcessorCount'] ?? processors['Count']),
    cpuArch: ARCHITECTURES.get(textOf(processors['ProcessorArchitecture'])),
    memoryMb: positive(typeof memory === 'number' ? memory * 1024 : undefined),
    localGb: localGbOf(disks),
  };
}

const bootModeOf = (system: Json): BootMode | null =>
  overrideMode(textOf(objectOf(system['Boot'])['BootSourceOverrideMode']));

const documentIn = (
  system: Json,
  facts: HardwareFacts,
  {
    disks,
    interfaces,
  }: { readonly disks: readonly Disk[]; readonly interfaces: readonly Interface[] },
): Fields => ({
  inventory: {
    cpu: {
      count: facts.cpus ?? null,
      architecture: facts.cpuArch ?? null,
      model_name: textOf(objectOf(system['ProcessorSummary'])['Model']) ?? null,
    },
    memory: { physical_mb: facts.memoryMb ?? null },
    disks,
    interfaces: interfaces.map(({ isEnabled: _isEnabled, ...view }) => view),
    system_vendor: {
      manufacturer: textOf(system['Manufacturer']) ?? null,
      product_name: textOf(system['Model']) ?? null,
      serial_number: textOf(system['SerialNumber']) ?? null,
    },
    boot: { current_boot_mode: bootModeOf(system), pxe_interface: null },
  },
  plugin_data: {},
});

/** Only what is enabled is a port: what is not, may belong to a card that is not there. */
function portsOf(interfaces: readonly Interface[]): readonly FoundPort[] {
  const enabled = interfaces.filter(({ isEnabled }) => isEnabled);
  const addresses = new Set(enabled.map(({ mac_address: address }) => address));
  return [...addresses].map((address) => ({ address, pxeEnabled: true }));
}

function interfaceOf(data: Json): readonly Interface[] {
  const text = textOf(data['MACAddress']) ?? textOf(data['PermanentMACAddress']) ?? '';
  const address = text.toLowerCase().replaceAll('-', ':');
  if (!MAC.test(address) || address === NO_MAC) return [];
  return [
    {
      name: textOf(data['Id']) ?? textOf(data['Name']) ?? null,
      mac_address: address,
      has_carrier: LINKS.get(data['LinkStatus']) ?? null,
      speed_mbps: positive(data['SpeedMbps']) ?? null,
      isEnabled: objectOf(data['Status'])['State'] === 'Enabled',
    },
  ];
}

const positive = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.round(value) : undefined;
