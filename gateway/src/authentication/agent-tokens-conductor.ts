import { type AgentCredentials } from '@tenure/contracts';
import { type ServiceClient } from '@tenure/http';
import { newCallContext } from '@tenure/signed-context';

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

/** Asks the conductor, which compares the token with that of the node. */
export const createAgentTokens = (client: ServiceClient): AgentTokens => ({
  check: async ({ credentials, address, requestId }) => {
    await client.call({
      method: 'GET',
      target: '/internal/agent-token',
      context: {
        ...newCallContext('baremetal:driver:ipa_continue_inspection', { request_id: requestId }),
        client_address: address,
        agent_credentials: credentials,
      },
    });
  },
});
