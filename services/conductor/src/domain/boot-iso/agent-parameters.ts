import { type NodeRecord } from '@tenure/contracts';
import { agentBootRecordOf, bootSecretOf } from '../agent.js';
import { parameter } from './boot-overlay.js';

/**
 * The kernel parameters with which the node's boot is started, as ironic-python-agent reads them.
 * @param apiUrl where the agent finds the API, without a slash at the end; undefined: it is configured in the image
 * @returns undefined when no boot of the node counts
 */
export function agentParameters(
  node: NodeRecord,
  apiUrl: string | undefined,
): readonly string[] | undefined {
  const secret = bootSecretOf(node);
  const boot = agentBootRecordOf(node);
  if (secret === undefined || boot === undefined) return undefined;
  const token = parameter('ipa-agent-token', secret);
  if (apiUrl === undefined) return [token];
  const callback = 'ipa-inspection-callback-url';
  return [
    token,
    parameter('ipa-api-url', apiUrl),
    ...(boot.work === 'inspect'
      ? [parameter(callback, callbackOf(apiUrl, node.uuid, secret))]
      : []),
  ];
}

/** The callback of an inspection. Its userinfo becomes the agent's proof: HTTP clients send it as `Authorization: Basic`. */
function callbackOf(apiUrl: string, uuid: string, secret: string): string {
  const url = new URL(`${apiUrl}/v1/continue_inspection`);
  url.username = uuid;
  url.password = secret;
  return url.href;
}
