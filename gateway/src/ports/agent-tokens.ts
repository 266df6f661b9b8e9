import { type AgentCredentials } from '@tenure/contracts';

/** The credentials of an agent's request, to be verified. */
interface AgentProof {
  readonly credentials: AgentCredentials;
  /** Client address of the request. */
  readonly address: string;
  readonly requestId: string;
}

/** Verifies the credentials of an agent whose report a node waits for. */
export interface AgentTokens {
  /** @throws NotFoundError when they are not valid; UnavailableError when the conductor does not answer in time */
  readonly check: (proof: AgentProof) => Promise<void>;
}
