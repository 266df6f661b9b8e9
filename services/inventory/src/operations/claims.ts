import { UnavailableError } from '@tenure/contracts';
import { DuplicateValueError } from '../ports/record-store.js';
import { type ClaimKind, type ClaimRecord, type Stores } from '../ports/stores.js';

const TRIES = 5;

/** A thing of another service: a VIF of the network service, a volume of the block storage service. */
export interface Claimed {
  readonly kind: ClaimKind;
  readonly id: string;
}

export interface ClaimDependencies {
  readonly stores: Pick<Stores, 'claims'>;
}

const uuidOf = ({ kind, id }: Claimed): string => `${kind}:${id}`;

/** What is known of a thing; undefined when nothing is. */
export const claimOf = (
  { stores }: ClaimDependencies,
  thing: Claimed,
): Promise<ClaimRecord | undefined> => stores.claims.findBy('uuid', uuidOf(thing));

/**
 * Writes what is newly known of a thing over what was known.
 * @returns false when another was quicker, and nothing was written
 */
export const noteClaim = async (
  { stores }: ClaimDependencies,
  thing: Claimed,
  before: ClaimRecord | undefined,
  known: Partial<Pick<ClaimRecord, 'project_id' | 'place'>>,
): Promise<boolean> => {
  if (before !== undefined)
    return stores.claims.swap(
      { ...before, ...known, revision: before.revision + 1 },
      before.revision,
    );
  try {
    await stores.claims.insert((epoch) => ({
      project_id: null,
      place: null,
      ...known,
      ...thing,
      uuid: uuidOf(thing),
      revision: epoch,
    }));
    return true;
  } catch (error) {
    if (error instanceof DuplicateValueError) return false;
    throw error;
  }
};

/** The project whose thing it is; null when nobody has claimed it. */
export const claimantOf = async (deps: ClaimDependencies, thing: Claimed): Promise<string | null> =>
  (await claimOf(deps, thing))?.project_id ?? null;

/**
 * Claims a thing for a project. Who comes first has it for good, for nothing else here knows whose it is.
 * @param projectId null claims nothing, and only asks
 * @returns whose it is now; null when it is nobody's
 * @throws UnavailableError
 */
export const claimFor = async (
  deps: ClaimDependencies,
  thing: Claimed,
  projectId: string | null,
): Promise<string | null> => {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const before = await claimOf(deps, thing);
    const claimant = before?.project_id ?? null;
    if (claimant !== null || projectId === null) return claimant;
    if (await noteClaim(deps, thing, before, { project_id: projectId })) return projectId;
  }
  throw new UnavailableError('The claim is being made by many others; please retry.');
};
