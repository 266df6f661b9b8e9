import { NotFoundError, timestampOf, UnavailableError } from '@tenure/contracts';
import { type CustodySigner } from '../../ports/custody-signer.js';
import { type StoredHandover, type Stores } from '../../ports/stores.js';
import { untilWritten } from '../until-written.js';

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
export async function changeHandover(
  { stores: { handovers }, now }: Pick<HandoverDependencies, 'stores' | 'now'>,
  uuid: string,
  change: (
    record: StoredHandover,
  ) => Partial<StoredHandover> | undefined | Promise<Partial<StoredHandover> | undefined>,
): Promise<StoredHandover> {
  const attempt = async (): Promise<StoredHandover | undefined> => {
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
    return (await handovers.swap(after, before.revision)) ? after : undefined;
  };
  return untilWritten(
    MAX_TRIES,
    attempt,
    () => new UnavailableError(`Handover ${uuid} is being changed by many others; please retry.`),
  );
}
