import { type AgentCredentials } from '@tenure/contracts';

/** A request of an agent that shows its credentials. */
interface AgentProof {
  readonly credentials: AgentCredentials;
  /** Where the request comes from. */
  readonly address: string;
  readonly requestId: string;
}

/** Knows whether credentials are those of an agent whose findings a node waits for. */
export interface AgentTokens {
  /** @throws NotFoundError when they are not; UnavailableError when that could not be found out in time */
  readonly check: (proof: AgentProof) => Promise<void>;
}
