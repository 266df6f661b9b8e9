import { SEALED_KEPT, sealedDigest } from '@tenure/contracts';
import { type StoredHandover } from '../../ports/stores.js';
import { changeHandover, type HandoverDependencies } from './change-handover.js';
import { handoverNumbered } from './find-handovers.js';

/**
 * Removes the sealed values of the handover that is no longer among the last ones of its node, which bounds the storage of a
 * node with many handovers. The digest, which the signature covers, stays. Safe to repeat.
 * @param record complete
 */
export async function dropOldSealed(
  deps: Pick<HandoverDependencies, 'stores' | 'now'>,
  { node_uuid: nodeUuid, number }: Pick<StoredHandover, 'node_uuid' | 'number'>,
): Promise<void> {
  if (number === null || number <= SEALED_KEPT) return;
  const old = await handoverNumbered(deps.stores, nodeUuid, number - SEALED_KEPT);
  if (old === undefined) return;
  await changeHandover(deps, old.uuid, (current) =>
    current.sealed_digest === undefined && Object.keys(current.sealed).length > 0
      ? { sealed: {}, sealed_digest: sealedDigest(current) }
      : undefined,
  );
}
