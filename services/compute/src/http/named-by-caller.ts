import {
  BadRequestError,
  type ContextClaims,
  type KeypairRecord,
  type PolicyFilter,
} from '@tenure/contracts';
import { callContextOf } from '@tenure/signed-context';
import { type FlavorFacts, flavorNamed, type WantedFlavor } from '../domain/flavor.js';
import { type RouteDeps } from './change-server.js';

export interface FoundFlavor {
  readonly wanted: WantedFlavor;
  readonly facts: FlavorFacts;
}

/**
 * A flavor by its name.
 * @param nodes the nodes to search; others look the same as missing ones
 */
export async function findFlavor(
  { flavors }: Pick<RouteDeps, 'flavors'>,
  claims: ContextClaims,
  nodes: PolicyFilter,
  id: string,
): Promise<FoundFlavor | undefined> {
  const wanted = flavorNamed(id);
  if (wanted === undefined) return undefined;
  const [facts] = await flavors.list(nodes, wanted.resource_class, callContextOf(claims));
  return facts !== undefined && wanted.traits.every((trait) => facts.traits.includes(trait))
    ? { wanted, facts }
    : undefined;
}

/** A key pair of the caller. @throws BadRequestError when there is none of this name */
export async function ownKeypair(
  { keypairs }: Pick<RouteDeps, 'keypairs'>,
  claims: ContextClaims,
  name: string,
): Promise<KeypairRecord> {
  const user = claims.subject?.user_id;
  const found =
    user === undefined ? undefined : await keypairs.find(user, name, callContextOf(claims));
  if (found === undefined) throw new BadRequestError('Invalid key_name provided.');
  return found;
}
