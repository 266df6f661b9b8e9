import { UnavailableError } from '@tenure/contracts';
import { DuplicateValueError } from '../ports/record-store.js';
import { type ClaimKind, type Stores } from '../ports/stores.js';

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

/** The project whose thing it is; null when nobody has claimed it. */
export const claimantOf = async (
  { stores }: ClaimDependencies,
  thing: Claimed,
): Promise<string | null> =>
  (await stores.claims.findBy('uuid', uuidOf(thing)))?.project_id ?? null;

const isMade = async (
  { stores }: ClaimDependencies,
  thing: Claimed,
  projectId: string,
): Promise<boolean> => {
  try {
    await stores.claims.insert((epoch) => ({
      ...thing,
      uuid: uuidOf(thing),
      project_id: projectId,
      place: null,
      revision: epoch,
    }));
    return true;
  } catch (error) {
    if (error instanceof DuplicateValueError) return false;
    throw error;
  }
};

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
  const { claims } = deps.stores;
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const before = await claims.findBy('uuid', uuidOf(thing));
    const claimant = before?.project_id ?? null;
    if (claimant !== null || projectId === null) return claimant;
    // Whenever another was quicker, whose it is, is read again.
    if (before === undefined) {
      if (await isMade(deps, thing, projectId)) return projectId;
    } else {
      const after = { ...before, project_id: projectId, revision: before.revision + 1 };
      if (await claims.swap(after, before.revision)) return projectId;
    }
  }
  throw new UnavailableError('The claim is being made by many others; please retry.');
};
