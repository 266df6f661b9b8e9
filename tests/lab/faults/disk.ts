import { fill, makeReadOnly, makeUsable } from '../disks.js';
import { type Fault } from '../fault.js';
import { type World } from '../world.js';
import { killed, podOf } from './pods.js';
import { nothing, type Undo } from './undo.js';

/** Makes the disk of a replica full or read-only; nothing happens to one without a disk of its own. */
export async function spoilDisk(
  world: World,
  fault: Extract<Fault, { readonly kind: 'disk' }>,
): Promise<Undo> {
  const pod = podOf(world, fault);
  const at = pod === undefined ? undefined : world.surroundings.disks.placeOf(pod.name);
  if (at === undefined) return nothing;
  if (fault.how === 'full') await fill(at);
  else {
    await killed(pod);
    await makeReadOnly(at);
  }
  return () => makeUsable(at);
}
