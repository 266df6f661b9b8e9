import { UnavailableError } from '@tenure/contracts';
import { minEpochOf } from '../domain/epochs.js';
import { type Stores } from '../ports/stores.js';
import { untilWritten } from './until-written.js';

const MAX_TRIES = 10;

/** The error for a caller whom others keep beating to an allocation. */
export const allocationContended = (uuid: string): UnavailableError =>
  new UnavailableError(`Allocation ${uuid} is being changed by many others; please retry.`);

/**
 * Removes the record of an allocation that no longer holds its node.
 * @throws UnavailableError when others keep writing it
 */
export async function forgetAllocation(
  { allocations }: Pick<Stores, 'allocations'>,
  uuid: string,
): Promise<void> {
  const attempt = async (): Promise<true | undefined> => {
    const current = await allocations.findBy('uuid', uuid);
    if (current === undefined) return true;
    const isRemoved = await allocations.remove(uuid, current.revision, minEpochOf(current));
    return isRemoved ? true : undefined;
  };
  await untilWritten(MAX_TRIES, attempt, () => allocationContended(uuid));
}
