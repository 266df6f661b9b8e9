import { ConflictError, UnavailableError } from '@tenure/contracts';
import {
  type ExternalResource,
  externalResource,
  externalResourceIn,
} from '../domain/external-resources.js';
import { type ClaimRecord, type Stores, type VifPlace } from '../ports/stores.js';
import { claimOf, noteClaim } from './claims.js';
import { untilWritten } from './until-written.js';

const TRIES = 10;

export interface AttachmentDependencies {
  readonly stores: Pick<Stores, 'claims' | 'resources' | 'nodes'>;
}

/** A VIF, and for which project it is attached: null for the one that has the node, undefined to leave that as it is. */
export interface AttachedVif {
  readonly vif: string;
  readonly projectId?: string | null | undefined;
}

/**
 * Claims a VIF for the place where it is about to be attached, and for a project. It is attached to one place at a
 * time, on any node.
 *
 * Of two concurrent calls, each names its place in the claim, writes the port, and checks the claim again
 * (`assertOccupied`); a call that takes over a claim checks the place before it once more. So the later one sees the
 * earlier, or both retry.
 * @throws ConflictError `duplicate` while another place has it; UnavailableError
 */
export async function occupy(
  deps: AttachmentDependencies,
  { vif, projectId }: AttachedVif,
  place: VifPlace,
): Promise<void> {
  const resource = vifCalled(vif);
  const attempt = async (): Promise<true | undefined> => {
    const before = await claimOf(deps, resource);
    const user = await userOf(deps, resource, before);
    if (user !== null) {
      assertSame(vif, user, place);
      return true;
    }
    const values = { place, ...(projectId !== undefined && { project_id: projectId }) };
    if (!(await noteClaim(deps, resource, before, values))) return undefined;
    const later = await userOf(deps, resource, before);
    if (later === null || isSame(later, place)) return true;
    await restore(deps, resource, { place: later, project_id: before?.project_id ?? null });
    throw attachedElsewhere(vif);
  };
  await untilWritten(
    TRIES,
    attempt,
    () => new UnavailableError('The VIF is being attached by many others; please retry.'),
  );
}

/**
 * Checks after the place was written that the claim still names it.
 * @throws ConflictError `duplicate` when another place took the VIF over meanwhile
 */
export async function assertOccupied(
  deps: AttachmentDependencies,
  vif: string,
  place: VifPlace,
): Promise<void> {
  const present = (await claimOf(deps, vifCalled(vif)))?.place ?? null;
  if (present === null || !isSame(present, place)) throw attachedElsewhere(vif);
}

const vifCalled = (id: string): ExternalResource => externalResource('vif', id);

/** The place in the claim of a VIF, if the VIF is still attached there. */
async function userOf(
  deps: AttachmentDependencies,
  resource: ExternalResource,
  claim: ClaimRecord | undefined,
): Promise<VifPlace | null> {
  const place = claim?.place ?? null;
  return place !== null && (await isAttached(deps, resource, place)) ? place : null;
}

function assertSame(vif: string, user: VifPlace, place: VifPlace): void {
  if (!isSame(user, place)) throw attachedElsewhere(vif);
}

const isSame = (a: VifPlace, b: VifPlace): boolean => a.section === b.section && a.uuid === b.uuid;

async function restore(
  deps: AttachmentDependencies,
  resource: ExternalResource,
  former: Pick<ClaimRecord, 'place' | 'project_id'>,
): Promise<void> {
  await noteClaim(deps, resource, await claimOf(deps, resource), former);
}

const attachedElsewhere = (vif: string): ConflictError =>
  new ConflictError('duplicate', `VIF ${vif} is attached elsewhere.`);

/**
 * Whether a place still has the VIF: after a crash, the claim may name a place where it was never attached, or is no
 * longer.
 */
async function isAttached(
  { stores }: AttachmentDependencies,
  { id }: ExternalResource,
  { section, uuid }: VifPlace,
): Promise<boolean> {
  const record = await stores.resources[section].findBy('uuid', uuid);
  return record !== undefined && externalResourceIn(section, record)?.id === id;
}
