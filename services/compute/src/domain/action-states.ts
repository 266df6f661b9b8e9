import { ConflictError, type ServerRecord, type VmState } from '@tenure/contracts';

/** In which states a server takes an action; an empty list: in none that a bare-metal server ever has. */
const STATES = {
  changePassword: ['active'],
  confirmResize: [],
  evacuate: ['active', 'stopped', 'error'],
  pause: ['active'],
  reboot: ['active'],
  rebootHard: ['active', 'stopped', 'error'],
  rebuild: ['active', 'stopped', 'error'],
  rescue: ['active', 'stopped', 'error'],
  resize: ['active', 'stopped'],
  resume: [],
  revertResize: [],
  shelve: ['active', 'stopped'],
  shelveOffload: [],
  start: ['stopped'],
  stop: ['active', 'error'],
  suspend: ['active'],
  trigger_crash_dump: ['active', 'rescued', 'error'],
  unpause: [],
  unrescue: ['rescued'],
  unshelve: [],
} as const satisfies Record<string, readonly VmState[]>;

export type StatefulAction = keyof typeof STATES;

/**
 * Refuses an action that a server does not accept in its state, with Nova's message.
 * @throws ConflictError `instance_state`
 */
export function assertTakes(action: StatefulAction, server: ServerRecord): void {
  const states: readonly VmState[] = STATES[action];
  if (!states.includes(server.vm_state))
    throw refused(action, server, `vm_state ${server.vm_state}`);
  if (server.task_state !== null) throw refused(action, server, `task_state ${server.task_state}`);
}

/** Refuses an action that needs a machine: a server that failed to build has none. */
export function assertHasNode(action: StatefulAction, server: ServerRecord): void {
  if (server.node_uuid === null) throw refused(action, server, `vm_state ${server.vm_state}`);
}

const refused = (action: StatefulAction, { uuid }: ServerRecord, state: string): ConflictError =>
  new ConflictError(
    'instance_state',
    `Cannot '${nameOf(action)}' instance ${uuid} while it is in ${state}`,
  );

// The name of the action in the API.
const nameOf = (action: StatefulAction): string => (action === 'rebootHard' ? 'reboot' : action);
