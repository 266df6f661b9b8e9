import { BadRequestError, ConflictError, NotFoundError, UnavailableError } from '@tenure/contracts';
import { type ClaimKind, type ExternalResource } from '../domain/external-resources.js';
import { type Condition } from '../ports/record-store.js';
import { allWhere } from './all-where.js';
import {
  type ClaimDependencies,
  claimOf,
  noteClaim,
  releaseUnused,
  type ResourceUse,
  useOf,
} from './claims.js';

export interface ClaimQuery {
  readonly kind: ClaimKind | undefined;
  /** Only what is this project's now. */
  readonly project: string | undefined;
  /** Only what nothing uses. */
  readonly unused: boolean;
  readonly marker: string | undefined;
  readonly limit: number;
}

interface ListedClaim {
  readonly resource: ExternalResource;
  readonly use: ResourceUse;
}

export interface ClaimPage {
  readonly claims: readonly ListedClaim[];
  /** Where the next page begins; null when this is the last. A page may hold less than the limit. */
  readonly next: string | null;
}

/** The project of a resource; for a free one, the project of its last claim. */
export const lastProjectOf = ({ holders, projectId, claim }: ResourceUse): string | null =>
  holders.length > 0 ? projectId : (claim?.project_id ?? null);

/**
 * A page of claims of external resources, in the order of their creation.
 * @throws BadRequestError for a marker that is no claim
 */
export async function listClaims(deps: ClaimDependencies, query: ClaimQuery): Promise<ClaimPage> {
  const { kind, marker, limit } = query;
  const { claims } = deps.stores;
  if (marker !== undefined && (await claims.findBy('uuid', marker)) === undefined)
    throw new BadRequestError('The marker is not a claim.');
  const where: Condition[] = kind === undefined ? [] : [{ field: 'kind', op: 'eq', value: kind }];
  const found = await claims.list({
    ...allWhere(...where),
    after: marker === undefined ? null : { uuid: marker, value: null },
    limit: limit + 1,
  });
  const page = found.slice(0, limit);
  const listed: ListedClaim[] = [];
  for (const { kind: ofKind, id } of page) {
    const resource = { kind: ofKind, id };
    const one = { resource, use: await useOf(deps, resource) };
    if (isWanted(one, query)) listed.push(one);
  }
  return { claims: listed, next: found.length > limit ? (page.at(-1)?.uuid ?? null) : null };
}

/**
 * Releases the claim of a resource. A resource in use then belongs to the project that has the machine.
 * @param force also for a resource in use
 * @throws NotFoundError; ConflictError `claim_in_use`; UnavailableError when it is being changed
 */
export async function releaseClaim(
  deps: ClaimDependencies,
  resource: ExternalResource,
  force: boolean,
): Promise<void> {
  const { claim, holders } = await useOf(deps, resource);
  if (claim === undefined) throw NotFoundError.of('Claim', `${resource.kind} ${resource.id}`);
  if (holders.length === 0) {
    await releaseUnused(deps, resource);
    if ((await claimOf(deps, resource)) === undefined) return;
  } else {
    if (!force)
      throw new ConflictError('claim_in_use', `The ${resource.kind} ${resource.id} is in use.`);
    if (await noteClaim(deps, resource, claim, { project_id: null })) return;
  }
  throw new UnavailableError('The claim is being changed by another; please retry.');
}

const isWanted = ({ use }: ListedClaim, { project, unused }: ClaimQuery): boolean =>
  !(unused && use.holders.length > 0) && (project === undefined || project === lastProjectOf(use));
