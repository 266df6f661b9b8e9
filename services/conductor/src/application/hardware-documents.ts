import { type NodeRecord } from '@tenure/contracts';
import { deadlineIn, type Deadline } from '@tenure/process';
import { newCallContext } from '@tenure/signed-context';
import { type HardwareDriver } from '../ports/hardware-driver.js';
import { aboutNode } from './about-node.js';
import { isSwitchedOff } from './capability.js';
import { createRunningTasks } from './running-tasks.js';
import { type SharedParts } from './shared-parts.js';

export type HardwareDocumentsOptions = Pick<
  SharedParts,
  'driverOf' | 'inventory' | 'logger' | 'stopping' | 'workers'
>;

/**
 * The BIOS settings and firmware versions of nodes, in the inventory. They are read when this conductor first sees the
 * node and the inventory has none yet, and again whenever they may have changed.
 */
export interface HardwareDocuments {
  /** Reads and stores what is missing, in the background. A failure is logged; a later round retries. */
  readonly storeMissing: (node: NodeRecord) => void;
  /** Reads and stores them again. A failure is logged; a later round retries. */
  readonly refresh: (node: NodeRecord) => Promise<void>;
  /** Whether the node was visited already, so that a round over the fleet can pace itself. */
  readonly isVisited: (uuid: string) => boolean;
  /** Resets failures: nodes whose documents could not be stored count as not visited. */
  readonly resetFailures: () => void;
  /** Forgets the nodes that are not in `seen`. */
  readonly keep: (seen: ReadonlySet<string>) => void;
  readonly idle: () => Promise<void>;
}

/** Milliseconds for one document: a BMC shows its firmware piece by piece. */
const BMC_MS = 60_000;

type Rows = Promise<readonly unknown[]>;
type Read = (driver: HardwareDriver, node: NodeRecord, deadline: Deadline) => Rows;

/** For each kind of document: the member that holds its rows, and how a driver reads them. */
const KINDS: readonly {
  readonly kind: 'bios' | 'firmware';
  readonly member: string;
  readonly read: Read;
}[] = [
  {
    kind: 'bios',
    member: 'settings',
    read: async ({ bios }, node, deadline) => bios?.settings(node, deadline) ?? [],
  },
  {
    kind: 'firmware',
    member: 'components',
    read: async ({ firmware }, node, deadline) => firmware?.components(node, deadline) ?? [],
  },
];

export function createHardwareDocuments({
  inventory,
  driverOf,
  logger,
  workers,
  stopping,
}: HardwareDocumentsOptions): HardwareDocuments {
  const visited = new Set<string>();
  const failed = new Set<string>();
  const running = createRunningTasks(workers, 'documents');
  const store = async (node: NodeRecord, isAnew: boolean): Promise<void> => {
    const context = aboutNode(newCallContext('tenure:conductor:documents'), node);
    for (const { kind, member, read } of KINDS) {
      if (isSwitchedOff(driverOf(node), node, kind)) continue;
      const isStored = async (): Promise<boolean> =>
        (await inventory.getDocument(context, node.uuid, kind)) !== undefined;
      if (!isAnew && (await isStored())) continue;
      const rows = await read(driverOf(node), node, deadlineIn(BMC_MS, stopping));
      if (rows.length > 0)
        await inventory.putDocument(context, node.uuid, kind, { document: { [member]: rows } });
    }
  };
  const tryStore = async (node: NodeRecord, isAnew: boolean): Promise<void> => {
    visited.add(node.uuid);
    try {
      await store(node, isAnew);
    } catch (error) {
      failed.add(node.uuid);
      logger.debug(
        { node: node.uuid, err: error },
        'BIOS settings or firmware of the node could not be stored',
      );
    }
  };
  return {
    storeMissing: (node) => {
      // No caller waits for it: a later round can do it.
      if (stopping.aborted || !workers.isFree('ordinary')) return;
      if (visited.has(node.uuid) && !failed.delete(node.uuid)) return;
      running.add(() => tryStore(node, false));
    },
    refresh: (node) => tryStore(node, true),
    isVisited: (uuid) => visited.has(uuid),
    resetFailures: () => {
      for (const uuid of failed) visited.delete(uuid);
      failed.clear();
    },
    keep: (seen) => {
      for (const uuid of [...visited, ...failed])
        if (!seen.has(uuid)) {
          visited.delete(uuid);
          failed.delete(uuid);
        }
    },
    idle: running.idle,
  };
}
