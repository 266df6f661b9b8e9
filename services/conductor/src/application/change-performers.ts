import { type NodeRecord } from '@tenure/contracts';
import { type Deadline } from '@tenure/process';
import { type HardwareBefore } from '../domain/hardware-before.js';
import { type ResumableChange } from '../domain/node-change.js';
import { type DriverOf } from '../ports/hardware-driver.js';
import { validCapability } from './capability.js';

/** Carries a change out; returns the fields to write. */
export type Perform = (
  node: NodeRecord,
  deadline: Deadline,
) => Promise<Readonly<Record<string, unknown>>>;

/** Reads settings of the hardware as they are. */
export type ReadBefore = (node: NodeRecord, deadline: Deadline) => Promise<HardwareBefore>;

export interface Performer {
  /** Throws when the node's driver cannot do it, or its settings are wrong. */
  readonly check: (node: NodeRecord) => Promise<void>;
  readonly perform: Perform;
  /** Reads the current value of the setting, to restore it after the tenancy; absent when there is nothing to restore. */
  readonly before?: ReadBefore;
}

/** How a driver carries out each kind of change. */
export function performerOf(driverOf: DriverOf, change: ResumableChange): Performer {
  switch (change.kind) {
    case 'console':
      return consoleChange(driverOf, change.enabled);
    case 'boot_mode':
      return settingChange('boot_mode', change.target, (node) =>
        validCapability(driverOf, node, 'bootMode', 'set_boot_mode'),
      );
    case 'secure_boot':
      return settingChange('secure_boot', change.target, (node) =>
        validCapability(driverOf, node, 'secureBoot', 'set_secure_boot'),
      );
  }
}

function consoleChange(driverOf: DriverOf, enabled: boolean): Performer {
  const find = (node: NodeRecord) => validCapability(driverOf, node, 'console', 'console');
  return {
    check: async (node) => {
      await find(node);
    },
    perform: async (node, deadline) => {
      const { start, stop } = await find(node);
      await (enabled ? start : stop)(node, deadline);
      return { console_enabled: enabled };
    },
  };
}

/** A change of a setting of the machine that outlives a tenancy. */
const settingChange = <T>(
  field: 'boot_mode' | 'secure_boot',
  target: T,
  find: (node: NodeRecord) => Promise<{
    readonly get: (node: NodeRecord, deadline: Deadline) => Promise<unknown>;
    readonly set: (node: NodeRecord, target: T, deadline: Deadline) => Promise<unknown>;
  }>,
): Performer => ({
  check: async (node) => {
    await find(node);
  },
  perform: async (node, deadline) => ({
    [field]: await (await find(node)).set(node, target, deadline),
  }),
  before: async (node, deadline) => ({
    [field]: await (await find(node)).get(node, deadline),
  }),
});
