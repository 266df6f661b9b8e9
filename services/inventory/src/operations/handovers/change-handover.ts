import { setTimeout as sleep } from 'node:timers/promises';
import { NotFoundError, timestampOf, UnavailableError } from '@tenure/contracts';
import { type CustodySigner } from '../../ports/custody-signer.js';
import { type StoredHandover, type Stores } from '../../ports/stores.js';

export interface HandoverDependencies {
  readonly stores: Pick<
    Stores,
    | 'handovers'
    | 'leases'
    | 'nodes'
    | 'allocations'
    | 'nodeHistory'
    | 'nodeDocuments'
    | 'resources'
    | 'claims'
  >;
  readonly now: () => Date;
  readonly signer: CustodySigner;
}

const MAX_TRIES = 20;

/**
 * Changes one handover under optimistic concurrency.
 * @param change sees the record at the very revision that is written over; undefined changes nothing
 * @throws NotFoundError; UnavailableError when others keep winning; DuplicateValueError
 */
export const changeHandover = async (
  { stores: { handovers }, now }: Pick<HandoverDependencies, 'stores' | 'now'>,
  uuid: string,
  change: (
    record: StoredHandover,
  ) => Partial<StoredHandover> | undefined | Promise<Partial<StoredHandover> | undefined>,
): Promise<StoredHandover> => {
  for (let attempt = 1; attempt <= MAX_TRIES; attempt += 1) {
    const before = await handovers.findBy('uuid', uuid);
    if (before === undefined) throw NotFoundError.of('Handover', uuid);
    const values = await change(before);
    if (values === undefined) return before;
    const after: StoredHandover = {
      ...before,
      ...values,
      updated_at: timestampOf(now()),
      revision: before.revision + 1,
    };
    if (await handovers.swap(after, before.revision)) return after;
    await sleep(Math.random() * 5 * attempt);
  }
  throw new UnavailableError(`Handover ${uuid} is being changed by many others; please retry.`);
};
