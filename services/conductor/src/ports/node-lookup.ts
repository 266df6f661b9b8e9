import { type CallContext, type NodeRecord } from '@tenure/contracts';

/** How an agent names the machine it runs on. */
export interface AgentsNode {
  readonly nodeUuid?: string | undefined;
  /** MAC addresses, in lower case. */
  readonly addresses: readonly string[];
}

/** Finds the nodes that an agent may run on. */
export interface NodeLookup {
  /** Those in one of these states; several when the addresses are those of several. */
  readonly find: (
    context: CallContext,
    named: AgentsNode,
    states: readonly string[],
  ) => Promise<readonly NodeRecord[]>;
}
