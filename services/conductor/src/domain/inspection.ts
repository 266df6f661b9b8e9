import { type NodeRecord } from '@tenure/contracts';
import { type Fields, membersOf } from './members.js';

/** The results of an inspection that are used; unknown members are left out. */
export interface HardwareFacts {
  readonly cpus?: number | undefined;
  readonly cpuArch?: string | undefined;
  readonly memoryMb?: number | undefined;
  readonly localGb?: number | undefined;
}

const MAX_PROPERTY = 2 ** 40;

const GIB = 1024 ** 3;

/** The hardware facts in an agent's inventory (`cpu`, `memory`, `disks`). */
export function factsOf(inventory: Fields): HardwareFacts {
  const cpu = membersOf(inventory['cpu']);
  return {
    cpus: countOf(cpu['count']),
    cpuArch: nameOf(cpu['architecture']),
    memoryMb: countOf(membersOf(inventory['memory'])['physical_mb']),
    localGb: firstDiskGb(inventory['disks']),
  };
}

/** The node's properties with what was found; what was not found stays as it was. */
export function propertiesWith(node: NodeRecord, facts: HardwareFacts): Fields {
  const found = {
    cpus: facts.cpus,
    cpu_arch: facts.cpuArch,
    memory_mb: facts.memoryMb,
    local_gb: facts.localGb,
  };
  const reported = Object.entries(found).filter(([, value]) => value !== undefined);
  return { ...node.properties, ...Object.fromEntries(reported) };
}

/** The property `capabilities` with the boot mode; empty when the mode is unknown or already there. */
export function bootModeCapability(node: NodeRecord, mode: string | null): Fields {
  const present = node.properties['capabilities'];
  const text = typeof present === 'string' ? present : '';
  // A value that is no text has another meaning and is left alone.
  if (mode === null || (present !== undefined && present !== null && typeof present !== 'string'))
    return {};
  if (capabilityNames(text).includes('boot_mode')) return {};
  return { capabilities: text === '' ? `boot_mode:${mode}` : `${text},boot_mode:${mode}` };
}

/** An inventory document with what a driver, and no agent, found. */
export const documentOf = (facts: HardwareFacts, vendor: Fields = {}): Fields => ({
  inventory: {
    cpu: { count: facts.cpus ?? null, architecture: facts.cpuArch ?? null },
    memory: { physical_mb: facts.memoryMb ?? null },
    disks: facts.localGb === undefined ? [] : [{ name: null, size: facts.localGb * GIB }],
    interfaces: [],
    system_vendor: vendor,
  },
  plugin_data: {},
});

const countOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 && value < MAX_PROPERTY
    ? value
    : undefined;
const nameOf = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[\w-]{1,64}$/u.test(value) ? value : undefined;

// One is kept for partitioning, as an inspection by Redfish does.
function firstDiskGb(disks: unknown): number | undefined {
  const [disk] = Array.isArray(disks) ? (disks as readonly unknown[]) : [];
  const size = membersOf(disk)['size'];
  return typeof size === 'number' ? countOf(Math.floor(size / GIB) - 1) : undefined;
}

/** Ironic's form of a list: `name:value,name:value`. */
const capabilityNames = (capabilities: string): readonly string[] =>
  capabilities.split(',').map((one) => one.split(':')[0]?.trim() ?? '');
