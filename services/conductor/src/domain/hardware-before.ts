import { type ContextClaims, type NodeRecord } from '@tenure/contracts';
import { type Fields, without } from './members.js';

/** Member of `driver_internal_info` with the settings of the hardware before a tenant changed them. */
const HARDWARE_BEFORE = 'custody_before';

/** Settings of a machine as they were before its tenant first changed them; what was not changed is not there. */
export interface HardwareBefore {
  readonly boot_mode?: string | null;
  readonly secure_boot?: boolean | null;
  readonly boot_device?: {
    readonly boot_device: string | null;
    readonly persistent: boolean | null;
  };
  /** BIOS settings, by name. */
  readonly bios?: Readonly<Record<string, string | null>>;
}

export function hardwareBefore(node: NodeRecord): HardwareBefore {
  const before = node.driver_internal_info[HARDWARE_BEFORE];
  return typeof before === 'object' && before !== null ? before : {}; // only `withHardwareBefore` writes it
}

/** Whether an order is given in the name of the lessee, and not of the owner or the system. */
export const isTenants = (
  { owner, lessee }: Pick<NodeRecord, 'owner' | 'lessee'>,
  { subject }: Pick<ContextClaims, 'subject'>,
): boolean =>
  lessee !== null &&
  lessee !== owner &&
  (subject?.system_scope ?? null) === null &&
  subject?.project_id === lessee;

/**
 * Whether an order serves the lessee: one in its name, or one of a service that deploys for it. Those of the owner and the
 * system, and what a conductor does by itself, do not.
 */
export const isForTenant = (
  { owner, lessee }: Pick<NodeRecord, 'owner' | 'lessee'>,
  { subject, action }: Pick<ContextClaims, 'subject' | 'action'>,
): boolean =>
  lessee !== null &&
  lessee !== owner &&
  !isOwnWork(action) &&
  (subject?.system_scope ?? null) === null &&
  (owner === null || subject?.project_id !== owner);

/** `driver_internal_info` with what a setting was; the first time counts, for each setting. */
export function withHardwareBefore(node: NodeRecord, now: HardwareBefore): Fields {
  const recorded = hardwareBefore(node);
  const bios = { ...now.bios, ...recorded.bios };
  return {
    ...node.driver_internal_info,
    [HARDWARE_BEFORE]: { ...now, ...recorded, ...(Object.keys(bios).length > 0 && { bios }) },
  };
}

/** `driver_internal_info` without one of them, once it is restored. */
export function withoutHardwareBefore(node: NodeRecord, name: keyof HardwareBefore): Fields {
  const left = without({ ...hardwareBefore(node) }, name);
  const others = without(node.driver_internal_info, HARDWARE_BEFORE);
  return Object.keys(left).length === 0 ? others : { ...others, [HARDWARE_BEFORE]: left };
}

const isOwnWork = (action: string): boolean =>
  action.startsWith('tenure:') || action.includes(':ipa_');
