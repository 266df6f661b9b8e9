import { type IncomingMessage } from 'node:http';

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

interface Asker {
  readonly requestedBy: string;
  readonly requestId: string | undefined;
  readonly traceparent: string | undefined;
}

/** A name as an id of a request; undefined when it is none. */
export const idIn = (name: string): string | undefined =>
  REQUEST_ID.test(name) ? name : undefined;

/** The client's id of its request; undefined when it is not fit for a log. */
export function requestIdOf({ headers }: IncomingMessage): string | undefined {
  const id = headers['x-openstack-request-id'];
  return typeof id === 'string' ? idIn(id) : undefined;
}

/** Address and port of the client. */
export const peerOf = ({ socket }: IncomingMessage): string =>
  `${socket.remoteAddress ?? ''}:${socket.remotePort ?? ''}`;

/** OPA's clients add `?metrics`, `?pretty`, `?instrument`…: none of them changes a decision, so all are ignored. */
export function pathOf(request: IncomingMessage): string {
  const target = request.url ?? '';
  const end = target.indexOf('?');
  return end === -1 ? target : target.slice(0, end);
}

/** Facts about the client, from the request and its connection. */
export const askerIn = (request: IncomingMessage): Asker => ({
  requestedBy: peerOf(request),
  requestId: requestIdOf(request),
  traceparent: traceparentOf(request),
});

/** The client's position in a trace, from its header. */
function traceparentOf({ headers }: IncomingMessage): string | undefined {
  const { traceparent } = headers;
  return typeof traceparent === 'string' ? traceparent : undefined;
}
