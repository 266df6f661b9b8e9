import { type Fault } from '../fault.js';
import { type World } from '../world.js';
import { podOf } from './pods.js';
import { nothing, type Undo } from './undo.js';

/** Sets the wall clock of a replica wrong, and right again. */
export function stepClock(world: World, fault: Extract<Fault, { readonly kind: 'clock' }>): Undo {
  const pod = podOf(world, fault);
  if (pod === undefined) return nothing;
  world.surroundings.clocks.set(pod.name, fault.seconds);
  return () => {
    world.surroundings.clocks.set(pod.name, 0);
  };
}
