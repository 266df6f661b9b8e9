import { setTimeout as sleep } from 'node:timers/promises';
import { attachedVifOf, ConflictError, UnavailableError } from '@tenure/contracts';
import { type Stores, type VifPlace } from '../ports/stores.js';
import { type Claimed, claimOf, noteClaim } from './claims.js';

const TRIES = 10;

export interface AttachmentDependencies {
  readonly stores: Pick<Stores, 'claims' | 'resources'>;
}

const isSame = (a: VifPlace, b: VifPlace): boolean => a.section === b.section && a.uuid === b.uuid;

/** Whether a place still has the VIF: a crash may have left a note of what never came about, or is over. */
const isHeld = async (
  { stores }: AttachmentDependencies,
  vif: string,
  { section, uuid }: VifPlace,
): Promise<boolean> =>
  attachedVifOf((await stores.resources[section].findBy('uuid', uuid))?.['internal_info']) === vif;

const vifCalled = (id: string): Claimed => ({ kind: 'vif', id });

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
  const thing = vifCalled(vif);
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const before = await claimOf(deps, thing);
    const present = before?.place ?? null;
    if (present !== null && isSame(present, place)) return;
    const isTaken = async (): Promise<boolean> =>
      present !== null && (await isHeld(deps, vif, present));
    if (await isTaken()) throw attachedElsewhere(vif);
    if (await noteClaim(deps, thing, before, { place })) {
      if (!(await isTaken())) return;
      await noteClaim(deps, thing, await claimOf(deps, thing), { place: present });
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
  deps: AttachmentDependencies,
  vif: string,
  place: VifPlace,
): Promise<void> => {
  const present = (await claimOf(deps, vifCalled(vif)))?.place ?? null;
  if (present === null || !isSame(present, place)) throw attachedElsewhere(vif);
};
