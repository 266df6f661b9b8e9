import { type NodeRecord } from '@tenure/contracts';
import { type Behalf } from './inventory-port.js';

/** How an agent names the machine it runs on. */
export interface AgentsNode {
  readonly nodeUuid?: string | undefined;
  /** MAC addresses, in lower case. */
  readonly addresses: readonly string[];
}

/** Finds the node of an agent. */
export interface NodeLookup {
  /** Undefined when there is none, or more than one. */
  readonly find: (behalf: Behalf, named: AgentsNode) => Promise<NodeRecord | undefined>;
}
