import { type NodeRecord } from '@tenure/contracts';
import { type Deadline } from '@tenure/process';
import { type InterfaceChoices, type InterfaceSupport } from '../domain/interfaces.js';
import { type PowerChange, type PowerState } from '../domain/power.js';
import { type HardwareCapabilities } from './hardware-capabilities.js';
import { type Provisioning } from './provisioning.js';

export interface BootDevice {
  /** Ironic's name, for example `pxe`; null when the hardware has none set. */
  readonly boot_device: string | null;
  readonly persistent: boolean | null;
}

/** A boot device to set. */
export interface BootDeviceChange {
  readonly device: string;
  readonly persistent: boolean;
  /** It may have been set before a restart: nothing is sent when the setting is in place already. */
  readonly mayBeSet?: boolean;
}

/**
 * Hardware of one kind. Every method throws `DriverFailure` with a message that is safe to return, and ends before its deadline.
 * A driver keeps no state of a node: lasting state is in the record or in the hardware.
 */
export interface HardwareDriver extends HardwareCapabilities {
  readonly name: string;
  readonly interfaces: InterfaceSupport;
  /** Implementations by interface type, for `/v1/drivers`. */
  readonly choices: InterfaceChoices;
  /** Members of `driver_info` that the driver reads, and what each is. */
  readonly properties: Readonly<Record<string, string>>;
  /** Checks the node's settings, without asking the hardware. */
  readonly validate: (node: NodeRecord) => Promise<void>;
  /** Null while the power is changing. */
  readonly getPowerState: (node: NodeRecord, deadline: Deadline) => Promise<PowerState | null>;
  /**
   * Brings the power to `change.goal` and returns it as read back. No command is sent when it is there already, or when an
   * earlier attempt may have sent it.
   */
  readonly setPowerState: (
    node: NodeRecord,
    change: PowerChange,
    deadline: Deadline,
  ) => Promise<PowerState>;
  readonly getBootDevice: (node: NodeRecord, deadline: Deadline) => Promise<BootDevice>;
  /** Sets and reads back. Returns members to write into `driver_internal_info`. */
  readonly setBootDevice: (
    node: NodeRecord,
    change: BootDeviceChange,
    deadline: Deadline,
  ) => Promise<Readonly<Record<string, unknown>>>;
  /**
   * Lets the machine boot as it does when nothing was set, and reads back. Returns members to write into
   * `driver_internal_info`. Absent for hardware that always has a device set.
   */
  readonly clearBootDevice?: (
    node: NodeRecord,
    deadline: Deadline,
  ) => Promise<Readonly<Record<string, unknown>>>;
  readonly supportedBootDevices: (
    node: NodeRecord,
    deadline: Deadline,
  ) => Promise<readonly string[]>;
  readonly provisioning: Provisioning;
}

/** Finds the driver of a node. Throws `DriverFailure` when this conductor has none of that name. */
export type DriverOf = (node: NodeRecord) => HardwareDriver;
