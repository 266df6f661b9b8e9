import { UnavailableError } from '@tenure/contracts';
import { type Stores } from '../ports/stores.js';

const MAX_TRIES = 10;

/**
 * Removes the record of an allocation that no longer holds its node.
 * @throws UnavailableError when others keep writing it
 */
export const forgetAllocation = async (
  { allocations }: Pick<Stores, 'allocations'>,
  uuid: string,
): Promise<void> => {
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const current = await allocations.findBy('uuid', uuid);
    if (current === undefined) return;
    const floor = Math.max(current.revision, current.tenancy_revision);
    if (await allocations.remove(uuid, current.revision, floor)) return;
  }
  throw new UnavailableError(`Allocation ${uuid} is being changed by many others; please retry.`);
};
