import { setTimeout as sleep } from 'node:timers/promises';
import { ConflictError, UnavailableError } from '@tenure/contracts';
import { DuplicateValueError } from '../ports/record-store.js';
import { type ClaimRecord, type Stores, type VifPlace } from '../ports/stores.js';

const TRIES = 10;

/** Member of `internal_info` that names the VIF attached to a port or portgroup. */
const ATTACHED = 'tenant_vif_port_id';

export interface AttachmentDependencies {
  readonly stores: Pick<Stores, 'claims' | 'resources'>;
}

/** The VIF that an `internal_info` names. */
export const vifIn = (info: unknown): string | null => {
  if (typeof info !== 'object' || info === null || !(ATTACHED in info)) return null;
  return typeof info[ATTACHED] === 'string' ? info[ATTACHED] : null;
};

const isSame = (a: VifPlace, b: VifPlace): boolean => a.section === b.section && a.uuid === b.uuid;

/** Whether a place still has the VIF: a crash may have left a note of what never came about, or is over. */
const isHeld = async (
  { stores }: AttachmentDependencies,
  vif: string,
  { section, uuid }: VifPlace,
): Promise<boolean> =>
  vifIn((await stores.resources[section].findBy('uuid', uuid))?.['internal_info']) === vif;

const noted = async (
  { stores }: AttachmentDependencies,
  vif: string,
  before: ClaimRecord | undefined,
  place: VifPlace | null,
): Promise<boolean> => {
  if (before !== undefined)
    return stores.claims.swap({ ...before, place, revision: before.revision + 1 }, before.revision);
  try {
    await stores.claims.insert((epoch) => ({
      uuid: `vif:${vif}`,
      kind: 'vif',
      id: vif,
      project_id: null,
      place,
      revision: epoch,
    }));
    return true;
  } catch (error) {
    if (error instanceof DuplicateValueError) return false;
    throw error;
  }
};

const attachedElsewhere = (vif: string): ConflictError =>
  new ConflictError('duplicate', `VIF ${vif} is attached elsewhere.`);

/**
 * Notes where a VIF is about to be attached. It is attached to one place at a time, on whatever node.
 *
 * Two who attach it at once: each notes its place, writes it, and looks at the note again (`assertOccupied`); who takes
 * over a note looks at the place before it once more. So the later one sees the earlier, or both give way.
 * @throws ConflictError `duplicate` while another place has it; UnavailableError
 */
export const occupy = async (
  deps: AttachmentDependencies,
  vif: string,
  place: VifPlace,
): Promise<void> => {
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const before = await deps.stores.claims.findBy('uuid', `vif:${vif}`);
    const present = before?.place ?? null;
    if (present !== null && isSame(present, place)) return;
    const isTaken = async (): Promise<boolean> =>
      present !== null && (await isHeld(deps, vif, present));
    if (await isTaken()) throw attachedElsewhere(vif);
    if (await noted(deps, vif, before, place)) {
      if (!(await isTaken())) return;
      await noted(deps, vif, await deps.stores.claims.findBy('uuid', `vif:${vif}`), present);
      throw attachedElsewhere(vif);
    }
    await sleep(Math.random() * 5 * attempt);
  }
  throw new UnavailableError('The VIF is being attached by many others; please retry.');
};

/**
 * After the place was written: it is ours only while the note says so.
 * @throws ConflictError `duplicate` when another place took the VIF over meanwhile
 */
export const assertOccupied = async (
  { stores }: AttachmentDependencies,
  vif: string,
  place: VifPlace,
): Promise<void> => {
  const present = (await stores.claims.findBy('uuid', `vif:${vif}`))?.place ?? null;
  if (present === null || !isSame(present, place)) throw attachedElsewhere(vif);
};
