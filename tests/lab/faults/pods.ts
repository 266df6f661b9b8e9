import { type Pod } from '../../support/cluster/pod.js';
import { eventually } from '../../support/wait.js';
import { type Replica } from '../fault.js';
import { type World } from '../world.js';
import { nothing, type Undo } from './undo.js';

/** Milliseconds within which a killed process must have exited. */
const EXIT_MS = 900;

/** The replica that a fault names. */
export const podOf = ({ cluster }: World, { part, replica }: Replica): Pod | undefined =>
  cluster.workloads[part].pods[replica];

export function freeze(pod: Pod | undefined): Undo {
  pod?.signal('SIGSTOP');
  return () => pod?.signal('SIGCONT');
}

export function send(pod: Pod | undefined, signal: NodeJS.Signals): Undo {
  pod?.signal(signal);
  return nothing;
}

/** Kills a replica and waits until it has exited. It is started again within a second. */
export async function killed(pod: Pod | undefined): Promise<void> {
  pod?.signal('SIGKILL');
  await eventually(
    () => pod?.isAlive !== true,
    (hasExited) => hasExited,
    { within: EXIT_MS, every: 5, what: 'end' },
  ).catch(() => undefined);
}
