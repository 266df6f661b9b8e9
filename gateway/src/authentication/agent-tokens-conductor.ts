import {
  type AgentCredentials,
  formatMicroversion,
  MAX_MICROVERSION,
  NO_OBLIGATIONS,
} from '@tenure/contracts';
import { type ServiceClient } from '@tenure/http';

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
      statement: {
        aud: 'conductor',
        request_id: requestId,
        subject: null,
        action: 'baremetal:driver:ipa_continue_inspection',
        decision_id: null,
        api_version: formatMicroversion(MAX_MICROVERSION),
        public_base: '',
        resources: [],
        obligations: NO_OBLIGATIONS,
        client_address: address,
        agent_credentials: credentials,
      },
    });
  },
});
