import { type NodeRecord } from '@tenure/contracts';
import { type BootMode, isBootMode } from './boot-mode.js';
import { type Fields, membersOf, without } from './members.js';

/** A change that can be carried out again from its record: done twice, it is as if done once. */
export type ResumableChange =
  | { readonly kind: 'console'; readonly enabled: boolean }
  | { readonly kind: 'boot_mode'; readonly target: BootMode }
  | { readonly kind: 'secure_boot'; readonly target: boolean };

/** A change that is acknowledged first and carried out afterwards. */
export type NodeChange =
  | ResumableChange
  /** A method of the vendor's own. Its arguments are not kept, so it cannot be resumed. */
  | { readonly kind: 'vendor'; readonly method: string };

/** Member of `driver_internal_info` that holds a change which is not carried out yet. */
export const PENDING_CHANGE = 'pending_change';

const READERS: Readonly<Record<string, (record: Fields) => NodeChange | undefined>> = {
  console: ({ enabled }) =>
    typeof enabled === 'boolean' ? { kind: 'console', enabled } : undefined,
  boot_mode: ({ target }) =>
    typeof target === 'string' && isBootMode(target) ? { kind: 'boot_mode', target } : undefined,
  secure_boot: ({ target }) =>
    typeof target === 'boolean' ? { kind: 'secure_boot', target } : undefined,
  vendor: ({ method }) => (typeof method === 'string' ? { kind: 'vendor', method } : undefined),
};

/** States in which something else is changing the node: its boot mode must not change too. */
const UNSTABLE: ReadonlySet<string> = new Set([
  'adopting',
  'cleaning',
  'clean wait',
  'deleting',
  'deploying',
  'wait call-back',
  'inspecting',
  'inspect wait',
  'rescuing',
  'rescue wait',
  'servicing',
  'service wait',
  'unrescuing',
  'verifying',
]);

/** The pending change in a record. */
export function pendingChangeOf(node: NodeRecord): NodeChange | undefined {
  const members = membersOf(node.driver_internal_info[PENDING_CHANGE]);
  const { kind } = members;
  return typeof kind === 'string' ? READERS[kind]?.(members) : undefined;
}

/** `driver_internal_info` without the pending change. */
export const withoutPendingChange = (node: NodeRecord): Fields =>
  without(node.driver_internal_info, PENDING_CHANGE);

/** The sentence for `last_error`. */
export function failureOfChange(change: NodeChange, reason: string): string {
  switch (change.kind) {
    case 'console':
      return `Error ${change.enabled ? 'enabling' : 'disabling'} the console. Reason: ${reason}.`;
    case 'boot_mode':
      return `Failed to change boot mode to '${change.target}'. Error: ${reason}.`;
    case 'secure_boot':
      return `Failed to change secure boot state to '${change.target ? 'on' : 'off'}'. Error: ${reason}.`;
    case 'vendor':
      return `The vendor method '${change.method}' failed. Error: ${reason}.`;
  }
}

export const isUnstable = (node: NodeRecord): boolean => UNSTABLE.has(node.provision_state);
