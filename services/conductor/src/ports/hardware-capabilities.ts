import { type NodeRecord } from '@tenure/contracts';
import { type Deadline } from '@tenure/process';
import { type BootMode } from '../domain/boot-mode.js';
import { type IndicatorId, type IndicatorState } from '../domain/indicators.js';
import { type MediaDevice } from '../domain/virtual-media.js';

/** Members of `driver_internal_info` that the caller writes under the lock. */
type InternalInfo = Readonly<Record<string, unknown>>;

/** The console of a node. Starting and stopping read back, and send nothing when it is so already. */
export interface ConsoleCapability {
  readonly start: (node: NodeRecord, deadline: Deadline) => Promise<void>;
  readonly stop: (node: NodeRecord, deadline: Deadline) => Promise<void>;
  /** How to connect: `{type, url}`, without credentials; null when it is switched off. */
  readonly info: (node: NodeRecord, deadline: Deadline) => Promise<InternalInfo | null>;
}

/** Sets and returns what was read back; no command is sent when it is so already. */
export interface BootModeCapability {
  /** Null when the hardware does not say. */
  readonly get: (node: NodeRecord, deadline: Deadline) => Promise<BootMode | null>;
  readonly set: (node: NodeRecord, mode: BootMode, deadline: Deadline) => Promise<BootMode>;
}

/** As `BootModeCapability`. */
export interface SecureBootCapability {
  /** Null when the hardware does not say. */
  readonly get: (node: NodeRecord, deadline: Deadline) => Promise<boolean | null>;
  readonly set: (node: NodeRecord, enabled: boolean, deadline: Deadline) => Promise<boolean>;
}

interface NmiCapability {
  readonly inject: (node: NodeRecord, deadline: Deadline) => Promise<void>;
}

export interface Indicator extends IndicatorId {
  readonly readonly: boolean;
  readonly states: readonly IndicatorState[];
}

export interface IndicatorCapability {
  readonly list: (node: NodeRecord, deadline: Deadline) => Promise<readonly Indicator[]>;
  readonly get: (node: NodeRecord, id: IndicatorId, deadline: Deadline) => Promise<IndicatorState>;
  /** Sets and reads back. */
  readonly set: (
    node: NodeRecord,
    change: IndicatorId & { readonly state: IndicatorState },
    deadline: Deadline,
  ) => Promise<InternalInfo>;
}

/** One virtual drive as Ironic shows it; `image` never holds credentials, query or fragment. */
interface VirtualDrive {
  readonly media_types: readonly string[];
  readonly inserted: boolean;
  readonly image: string | null;
}

/** `image` is an http or https address, which may contain credentials: never returned, never logged. */
export interface MediaToAttach {
  readonly device: MediaDevice;
  readonly image: string;
  /** Whether an image that is in the drive already may be this one, inserted before a restart. */
  readonly isOurs?: boolean;
}

/** A medium counts as attached or detached only after that was read back. */
export interface VirtualMediaCapability {
  readonly list: (node: NodeRecord, deadline: Deadline) => Promise<readonly VirtualDrive[]>;
  readonly attach: (
    node: NodeRecord,
    media: MediaToAttach,
    deadline: Deadline,
  ) => Promise<InternalInfo>;
  /** Detaching what is not attached is no failure. */
  readonly detach: (
    node: NodeRecord,
    devices: readonly MediaDevice[],
    deadline: Deadline,
  ) => Promise<InternalInfo>;
}

export const VENDOR_HTTP_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type VendorHttpMethod = (typeof VENDOR_HTTP_METHODS)[number];

export type VendorArguments = Readonly<Record<string, unknown>>;

/** A method of the vendor's own, as `vendor_passthru/methods` lists it. */
export interface VendorMethod {
  readonly httpMethods: readonly VendorHttpMethod[];
  /** Answered with 202 before it is done. */
  readonly isAsync: boolean;
  readonly description: string;
  readonly needsLock: boolean;
  /** Checks the arguments without asking the hardware. Throws BadRequestError. */
  readonly validate: (call: VendorArguments) => void;
  readonly run: (node: NodeRecord, call: VendorArguments, deadline: Deadline) => Promise<unknown>;
}

export type VendorMethods = Readonly<Record<string, VendorMethod>>;

/** Properties of a logical disk in a `target_raid_config` of this hardware, with their descriptions. */
interface RaidCapability {
  readonly logicalDiskProperties: Readonly<Record<string, string>>;
}

/** A BIOS setting as the inventory keeps it. */
interface BiosSetting {
  readonly name: string;
  readonly value: string | null;
  readonly [detail: string]: unknown;
}

export interface BiosCapability {
  readonly settings: (node: NodeRecord, deadline: Deadline) => Promise<readonly BiosSetting[]>;
  /** The settings after the next start of the machine. Absent where a change is in force at once. */
  readonly settingsToCome?: (
    node: NodeRecord,
    deadline: Deadline,
  ) => Promise<readonly BiosSetting[]>;
}

/** A firmware component as the inventory keeps it. */
export interface FirmwareComponent {
  readonly component: string;
  readonly current_version: string | null;
  readonly [detail: string]: unknown;
}

export interface FirmwareCapability {
  readonly components: (
    node: NodeRecord,
    deadline: Deadline,
  ) => Promise<readonly FirmwareComponent[]>;
}

/** Capabilities of a driver beyond power and boot device. A missing member is not supported. */
export interface HardwareCapabilities {
  readonly console?: ConsoleCapability;
  readonly bootMode?: BootModeCapability;
  readonly secureBoot?: SecureBootCapability;
  readonly nmi?: NmiCapability;
  readonly indicators?: IndicatorCapability;
  readonly virtualMedia?: VirtualMediaCapability;
  readonly vendor?: VendorMethods;
  readonly raid?: RaidCapability;
  readonly bios?: BiosCapability;
  readonly firmware?: FirmwareCapability;
}
