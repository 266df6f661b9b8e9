import { type ServiceClient } from '@tenure/http';
import { newCallContext } from '@tenure/signed-context';
import { type AgentTokens } from '../ports/agent-tokens.js';

/** Verifies agent tokens with the conductor, which compares them with the token of the node. */
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
