import { type CallContext, type NodeRecord, UnavailableError } from '@tenure/contracts';
import { newCallContext } from '@tenure/signed-context';
import { groupOf, inOrderFor, type Member, responsibleFor, serves } from '../domain/rendezvous.js';
import { type InventoryPort } from '../ports/inventory-port.js';

export interface MembershipOptions {
  readonly inventory: InventoryPort;
  /** This conductor, which knows of itself that it is alive. */
  readonly self: Member;
}

/** Who shares the fleet with this conductor, and which nodes fall to this one. */
export interface Membership {
  /**
   * Asks the inventory who is alive. Throws when it does not answer; what was known before then still holds: others may
   * have died since, but nobody can take anything over without the inventory either.
   */
  readonly refresh: () => Promise<void>;
  /** Asks if nothing was ever known. Throws when the inventory does not answer. */
  readonly ensureLoaded: () => Promise<void>;
  /** Whether this conductor is responsible for the node, as far as it knows now. */
  readonly isMine: (node: NodeRecord) => boolean;
  /** Whether this conductor serves the node: it is of its group and runs its driver. */
  readonly isServedHere: (node: NodeRecord) => boolean;
  /**
   * The other conductors that serve the node, the responsible one first. Asks who is alive now when none is known.
   * @throws UnavailableError when there is none
   */
  readonly othersServing: (context: CallContext, node: NodeRecord) => Promise<readonly Member[]>;
}

export function createMembership({ inventory, self }: MembershipOptions): Membership {
  let members: readonly Member[] = [self];
  let isLoaded = false;
  const refresh = async (): Promise<void> => {
    const live = await inventory.listConductors(newCallContext('tenure:conductor:membership'));
    members = [self, ...live.filter(({ hostname }) => hostname !== self.hostname)];
    isLoaded = true;
  };
  const others = (node: NodeRecord): readonly Member[] =>
    inOrderFor(members, node).filter(({ hostname }) => hostname !== self.hostname);
  return {
    refresh,
    ensureLoaded: async () => {
      if (!isLoaded) await refresh();
    },
    isMine: (node) => responsibleFor(members, node) === self.hostname,
    isServedHere: (node) => serves(self, node),
    othersServing: async (context, node) => {
      const peers = others(node);
      if (peers.length > 0) return peers;
      await refresh();
      const found = others(node);
      if (found.length === 0) throw notServed(context, node);
      return found;
    },
  };
}

function notServed({ obligations }: CallContext, node: NodeRecord): UnavailableError {
  const { masked } = obligations.fields;
  const driver = masked.includes('driver') ? 'the driver of the node' : `driver ${node.driver}`;
  const group = masked.includes('conductor_group') ? '' : ` for conductor group "${groupOf(node)}"`;
  return new UnavailableError(
    `No valid host was found. Reason: No conductor service registered which supports ${driver}${group}.`,
  );
}
