import { BadRequestError, MAX_TRAITS, type NodeRecord, NotFoundError } from '@tenure/contracts';
import { assertConditions } from '../domain/conditions.js';
import { assertCurrent, changeNode, lockedError, type WriteContext } from './change-node.js';
import { type WriteDependencies } from './write-nodes.js';

/** A change of a node's traits, and the user who requested it. */
export interface TraitsChange {
  readonly uuid: string;
  /** How the caller named the node, for the 404. */
  readonly ident: string;
  readonly traits: (before: readonly string[]) => readonly string[];
}

/**
 * Changes the traits of a node that nobody has locked.
 * @throws BadRequestError for too many; ConflictError `node_locked`; NotFoundError; TenancyChangedError; what `traits` throws
 */
export const changeTraits = (
  { stores, now }: WriteDependencies,
  { uuid, ident, traits }: TraitsChange,
  context: WriteContext,
): Promise<NodeRecord> =>
  changeNode({
    nodes: stores.nodes,
    now,
    uuid,
    ident,
    by: context,
    change: (node) => {
      assertCurrent(node, context);
      if (node.reservation !== null) throw lockedError(node, context.obligations.fields.masked);
      assertConditions(node, context.obligations, 'change traits of node');
      const after = [...new Set(traits(node.traits))];
      if (after.length > MAX_TRAITS)
        throw new BadRequestError(
          `A node cannot have more than ${String(MAX_TRAITS)} traits; node ${uuid} would have ${String(after.length)}.`,
        );
      return { ...node, traits: after };
    },
  });

/** @throws NotFoundError for a trait that the node does not have */
export const withoutTrait =
  (uuid: string, trait: string) =>
  (before: readonly string[]): readonly string[] => {
    if (!before.includes(trait))
      throw NotFoundError.part(`Node ${uuid} doesn't have a trait '${trait}'`);
    return before.filter((one) => one !== trait);
  };
