import { NotFoundError } from '@tenure/contracts';
import { type StoredHandover } from '../../ports/stores.js';
import { type HandoverDependencies } from './change-handover.js';
import { recordOpening } from './record-handover.js';

/**
 * A handover by its uuid. One that a node carries, and whose record a crash kept from being made, is made now.
 * @throws NotFoundError
 */
export async function findHandover(
  deps: HandoverDependencies,
  uuid: string,
): Promise<StoredHandover> {
  const { handovers, nodes } = deps.stores;
  const found = await handovers.findBy('uuid', uuid);
  if (found !== undefined) return found;
  const node = await nodes.findBy('handover_uuid', uuid);
  const kept = node === undefined ? undefined : await recordOpening(deps, node);
  if (kept?.uuid !== uuid) throw NotFoundError.of('Handover', uuid);
  return kept;
}
