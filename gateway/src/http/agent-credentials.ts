import { type IncomingHttpHeaders } from 'node:http';
import { type AgentCredentials, isUuid } from '@tenure/contracts';
import { type Credentials } from '../application/authentication/credentials.js';
import { credentialsOf } from './bearer.js';

const MAX_TOKEN = 255;

/**
 * The credentials of the agent on a machine, where a route takes them: HTTP Basic, with the node's uuid as the user and the
 * token of the running boot as the password. They are never those of a user who logs in.
 * @returns undefined when there are none, or credentials of another kind
 */
export function agentCredentialsOf(headers: IncomingHttpHeaders): AgentCredentials | undefined {
  const credentials = orNothing(headers);
  if (credentials?.kind !== 'basic') return undefined;
  const { user, password } = credentials;
  if (!isUuid(user) || password === '' || password.length > MAX_TOKEN) return undefined;
  return { node_uuid: user.toLowerCase(), token: password };
}

function orNothing(headers: IncomingHttpHeaders): Credentials | undefined {
  try {
    return credentialsOf(headers);
  } catch {
    return undefined;
  }
}
