import { createHash } from 'node:crypto';

/** A conductor that shares the fleet, as it reports itself. */
export interface Member {
  readonly hostname: string;
  readonly drivers: readonly string[];
  readonly conductor_group: string;
  /** Where the other conductors reach it; absent from one that does not say. */
  readonly advertised_url?: string;
}

/** The members of a node that determine which conductors may serve it. */
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
  { drivers, conductor_group: group }: Pick<Member, 'drivers' | 'conductor_group'>,
  node: Served,
): boolean => group === groupOf(node) && drivers.includes(node.driver);

/**
 * The conductors that serve a node, the responsible one first: those with the largest digest of both names. Every
 * conductor with the same list of members computes the same order. A conductor that joins or leaves moves its own share only.
 */
export const inOrderFor = (members: readonly Member[], node: Served): readonly Member[] =>
  members
    .filter((member) => serves(member, node))
    .map((member) => ({ member, weight: weightOf(member.hostname, node.uuid) }))
    .sort((one, other) => (one.weight > other.weight ? -1 : 1))
    .map(({ member }) => member);

/**
 * The conductor that is responsible for a node.
 * @returns its hostname; undefined when none of the members serves the node
 */
export const responsibleFor = (members: readonly Member[], node: Served): string | undefined =>
  inOrderFor(members, node)[0]?.hostname;

const weightOf = (hostname: string, uuid: string): string =>
  createHash('sha256').update(`${hostname}\n${uuid}`).digest('hex');
