import { AppError, type ServerChange, type ServerRecord, timestampOf } from '@tenure/contracts';
import { type PlacedNode } from '../ports/machines.js';
import { isActive } from './node-states.js';
import { powerStateOf } from './step.js';
import { completed, ownContext, type VisitDeps } from './visit.js';

type WatchDeps = Pick<VisitDeps, 'store' | 'now'> & { readonly newRequestId: () => string };

const VM_STATES: Readonly<Record<number, 'active' | 'stopped'>> = { 1: 'active', 4: 'stopped' };

/**
 * Looks at the machine of a server that runs or is off, and has the server follow it. A machine that was taken away leaves
 * the server in error: its owner sees why it does not answer. A task that is requested meanwhile comes first.
 * @throws AppError when the inventory does not answer
 */
export async function watch(
  { store, now, newRequestId }: WatchDeps,
  server: ServerRecord,
): Promise<void> {
  if (server.vm_state !== 'active' && server.vm_state !== 'stopped') return;
  const context = ownContext(newRequestId());
  try {
    const { node } = await store.placement(server.uuid, context);
    const change = node === null ? lostNode(server, now()) : powerChange(server, node);
    if (change !== undefined) await store.update(server, completed(server, change, now()), context);
  } catch (error) {
    const isOver = error instanceof AppError && (error.status === 409 || error.status === 404);
    if (!isOver) throw error;
  }
}

const lostNode = ({ uuid }: ServerRecord, now: Date): ServerChange => ({
  vm_state: 'error',
  power_state: 0,
  fault: {
    code: 500,
    message: `Instance ${uuid} has lost its node.`,
    created: timestampOf(now),
  },
});

/** The power state of the machine where it differs from the server's: it was switched by hand, or from within. */
function powerChange(server: ServerRecord, node: PlacedNode): ServerChange | undefined {
  const power_state = powerStateOf(node.power_state);
  const vm_state = VM_STATES[power_state];
  const isStable = isActive(node) && node.target_power_state === null;
  return isStable && vm_state !== undefined && vm_state !== server.vm_state
    ? { vm_state, power_state }
    : undefined;
}
