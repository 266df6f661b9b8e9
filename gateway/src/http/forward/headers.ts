import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from 'node:http';
import { CONTEXT_HEADER } from '@tenure/contracts';
import { traceHeaders } from '@tenure/process';
import { unauthorized } from '@tenure/tokens';
import { credentialsOf } from '../bearer.js';

/** The only client headers that are forwarded. None of them concerns identity or proxies. */
const FORWARDED = ['accept', 'content-type'] as const;
/** Headers for a real Nova, which also needs the microversion and the service token. */
const FORWARDED_TO_NOVA = [
  ...FORWARDED,
  'openstack-api-version',
  'x-openstack-nova-api-version',
  'x-service-token',
] as const;

/** The input for the headers of a forwarded request. */
interface Outgoing {
  readonly request: Pick<IncomingMessage, 'headers'>;
  readonly requestId: string;
  readonly body: Buffer;
  /** The signed context: the only statement about the caller that a service of Tenure trusts. */
  readonly context: () => string;
}

/** Headers of a service's answer that are internal, or that the gateway sets itself. */
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
]);

/** Prefix of headers between the parts. They are not relayed to clients, except the filter of a list. */
const INTERNAL = 'x-tenure-';
const POLICY_FILTER = 'x-tenure-policy-filter';

/**
 * The headers of the request to a service.
 * @param isOurs false for a Nova that is not part of Tenure
 * @throws UnauthorizedError when there are no credentials that Nova can verify
 */
export const headersFor = (outgoing: Outgoing, isOurs: boolean): IncomingHttpHeaders => ({
  ...chosen(outgoing.request.headers, isOurs ? FORWARDED : FORWARDED_TO_NOVA),
  ...identityFor(outgoing, isOurs),
  ...(outgoing.body.length > 0 && { 'content-length': String(outgoing.body.length) }),
});

/**
 * The headers of a service's answer that reach the client.
 * @param own headers of the gateway, which replace the service's
 */
export function relayedHeaders(
  answer: IncomingHttpHeaders,
  own: OutgoingHttpHeaders,
): OutgoingHttpHeaders {
  const named = lowered((answer.connection ?? '').split(','));
  const said = lowered(Object.keys(own));
  return Object.fromEntries(
    Object.entries(answer).filter(
      ([name]) => isRelayed(name) && !named.has(name) && !said.has(name),
    ),
  );
}

const chosen = (client: IncomingHttpHeaders, names: readonly string[]): IncomingHttpHeaders =>
  Object.fromEntries(
    names.flatMap((name) => (client[name] === undefined ? [] : [[name, client[name]]])),
  );

function identityFor(
  { request, requestId, context }: Outgoing,
  isOurs: boolean,
): IncomingHttpHeaders {
  if (isOurs) return { [CONTEXT_HEADER]: context(), ...traceHeaders() };
  const token = ownToken(request.headers);
  return {
    'x-openstack-request-id': requestId,
    ...(token !== undefined && { 'x-auth-token': token }),
  };
}

/**
 * The caller's own token, which only a real Nova gets; undefined on a public route.
 * @throws UnauthorizedError for a caller without a token, whom Nova cannot authenticate
 */
function ownToken(client: IncomingHttpHeaders): string | undefined {
  const credentials = credentialsOf(client);
  if (credentials?.kind === 'basic') throw unauthorized('Nova accepts tokens only');
  return credentials?.token;
}

const lowered = (names: readonly string[]): ReadonlySet<string> =>
  new Set(names.map((name) => name.trim().toLowerCase()));

const isRelayed = (name: string): boolean =>
  !NOT_RELAYED.has(name) && (!name.startsWith(INTERNAL) || name === POLICY_FILTER);
