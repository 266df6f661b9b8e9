import { type VmState } from '@tenure/contracts';

const BY_TASK: Readonly<Record<string, string>> = {
  rebooting: 'REBOOT',
  rebooting_hard: 'HARD_REBOOT',
  rebuilding: 'REBUILD',
  rebuild_spawning: 'REBUILD',
};

const BY_STATE: Readonly<Record<VmState, string>> = {
  building: 'BUILD',
  active: 'ACTIVE',
  stopped: 'SHUTOFF',
  rescued: 'RESCUE',
  error: 'ERROR',
};

/** Nova's task states that are used here. */
export type TaskState =
  | 'scheduling'
  | 'spawning'
  | 'deleting'
  | 'rebuilding'
  | 'rescuing'
  | 'unrescuing'
  | 'powering-on'
  | 'powering-off'
  | 'rebooting'
  | 'rebooting_hard';

/** Every word that `statusOf` may say. */
export const STATUSES: readonly string[] = [
  ...new Set([...Object.values(BY_STATE), ...Object.values(BY_TASK)]),
];

/** Nova's statuses that no server here ever has: a query for them is valid, and finds nothing. */
export const OTHER_STATUSES: readonly string[] = [
  'DELETED',
  'MIGRATING',
  'PASSWORD',
  'PAUSED',
  'RESIZE',
  'REVERT_RESIZE',
  'SHELVED',
  'SHELVED_OFFLOADED',
  'SOFT_DELETED',
  'SUSPENDED',
  'UNKNOWN',
  'VERIFY_RESIZE',
];

/** Nova's one word for what a server is and what is being done with it. */
export const statusOf = (vmState: VmState, taskState: string | null): string =>
  (vmState === 'error' || taskState === null ? undefined : BY_TASK[taskState]) ?? BY_STATE[vmState];
