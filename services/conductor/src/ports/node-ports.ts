import { type CallContext } from '@tenure/contracts';
import { type Fields } from '../domain/members.js';
import { type PortId, type PortKind, type PortRecord } from '../domain/vifs.js';
import { type LockProof } from './inventory-port.js';
import { type FoundPort } from './provisioning.js';

/** The ports of a node in the inventory. Throws as `InventoryPort` does; `duplicate` (409) when a VIF is attached elsewhere. */
export interface NodePorts {
  readonly list: (
    context: CallContext,
    nodeUuid: string,
    kind: PortKind,
  ) => Promise<readonly PortRecord[]>;
  /** Writes under the node's lock. */
  readonly change: (
    context: CallContext,
    nodeUuid: string,
    port: PortId,
    change: LockProof & {
      readonly set: Fields;
      /** For which project a VIF in `set` is attached; null: for the one that has the node. */
      readonly vif_project_id?: string | null;
    },
  ) => Promise<void>;
  /** Creates a port under the node's lock. Throws `duplicate` (409) when a port of whatever node has the address. */
  readonly create: (
    context: CallContext,
    nodeUuid: string,
    port: LockProof & FoundPort,
  ) => Promise<void>;
}
