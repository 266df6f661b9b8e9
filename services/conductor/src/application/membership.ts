import { type CallContext, type NodeRecord, UnavailableError } from '@tenure/contracts';
import { newCallContext } from '@tenure/signed-context';
import { groupOf, inOrderFor, type Member, responsibleFor, serves } from '../domain/rendezvous.js';
import { type InventoryPort } from '../ports/inventory-port.js';

export interface MembershipOptions {
  readonly inventory: InventoryPort;
  /** This conductor, which is always a member. */
  readonly self: Member;
}

/** The conductors that share the fleet, and the nodes that this one is responsible for. */
export interface Membership {
  /**
   * Reads the conductors that are alive from the inventory. Throws when it does not answer; the list that was read before stays
   * in use: other conductors may have died since, but no conductor can take over a node without the inventory either.
   */
  readonly refresh: () => Promise<void>;
  /** Reads the list unless it was read before. Throws when the inventory does not answer. */
  readonly ensureLoaded: () => Promise<void>;
  /** Whether this conductor is responsible for the node, by the list that was read last. */
  readonly isMine: (node: NodeRecord) => boolean;
  /** Whether this conductor serves the node: it is of its group and runs its driver. */
  readonly isServedHere: (node: NodeRecord) => boolean;
  /**
   * The other conductors that serve the node, the responsible one first. Reads the list again when it has none.
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
