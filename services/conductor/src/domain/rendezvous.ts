import { createHash } from 'node:crypto';

/** A conductor that shares the fleet, as it reports itself. */
export interface Member {
  readonly hostname: string;
  readonly drivers: readonly string[];
  readonly conductor_group: string;
}

/** What of a node says who may serve it. */
export interface Served {
  readonly uuid: string;
  readonly driver: string;
  readonly conductor_group?: unknown;
}

/** The conductor group of a node; one that names none is in the group with the empty name. */
export const groupOf = ({ conductor_group: group }: Served): string =>
  typeof group === 'string' ? group : '';

/** Whether a conductor is of the node's group and runs its driver. */
export const serves = (
  { drivers, conductor_group: group }: Omit<Member, 'hostname'>,
  node: Served,
): boolean => group === groupOf(node) && drivers.includes(node.driver);

const weightOf = (hostname: string, uuid: string): string =>
  createHash('sha256').update(`${hostname}\n${uuid}`).digest('hex');

/**
 * The conductor that is responsible for a node: of those that serve it, the one with the largest digest of both names.
 * Everybody who knows the same members gives the same answer, and whoever joins or leaves moves its own share only.
 * @returns its hostname; undefined when none of the members serves the node
 */
export const responsibleFor = (members: readonly Member[], node: Served): string | undefined => {
  let best: { readonly hostname: string; readonly weight: string } | undefined;
  for (const member of members) {
    if (!serves(member, node)) continue;
    const weight = weightOf(member.hostname, node.uuid);
    if (best === undefined || weight > best.weight) best = { hostname: member.hostname, weight };
  }
  return best?.hostname;
};
