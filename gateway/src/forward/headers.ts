import { type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { CONTEXT_HEADER } from '@tenure/contracts';

/** The only client headers that travel on. Whatever speaks of identity or of the way here is not among them. */
const FORWARDED = ['accept', 'content-type'] as const;

/**
 * The headers of the request to a service.
 * @param context the signed context: all that the service may believe about the caller
 */
export const forwardedHeaders = (
  client: IncomingHttpHeaders,
  context: string,
  bodyLength: number,
): IncomingHttpHeaders => {
  const headers: IncomingHttpHeaders = { [CONTEXT_HEADER]: context };
  for (const name of FORWARDED) {
    const value = client[name];
    if (value !== undefined) headers[name] = value;
  }
  if (bodyLength > 0) headers['content-length'] = String(bodyLength);
  return headers;
};

/** Answer headers of a service that are not the client's business, or that this hop sets itself. */
const NOT_RELAYED: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'date',
  'server',
  'x-powered-by',
  'set-cookie',
  'x-openstack-request-id',
  'openstack-request-id',
  'x-openstack-ironic-api-version',
  'x-openstack-ironic-api-minimum-version',
  'x-openstack-ironic-api-maximum-version',
]);

/** What the parts tell one another stays among them, but for what a list says of its filter. */
const INTERNAL = 'x-tenure-';
const POLICY_FILTER = 'x-tenure-policy-filter';

const isRelayed = (name: string): boolean =>
  !NOT_RELAYED.has(name) && (!name.startsWith(INTERNAL) || name === POLICY_FILTER);

/** The headers of a service's answer that reach the client. */
export const relayedHeaders = (answer: IncomingHttpHeaders): OutgoingHttpHeaders => {
  const named = new Set(
    (answer.connection ?? '').split(',').map((token) => token.trim().toLowerCase()),
  );
  return Object.fromEntries(
    Object.entries(answer).filter(([name]) => isRelayed(name) && !named.has(name)),
  );
};
