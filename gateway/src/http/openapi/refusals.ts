import { type Route } from '../../routes/route.js';

interface Refusal {
  /** Name of the component. */
  readonly name: string;
  readonly about: string;
  /** A header that only this answer has. */
  readonly header?: 'Allow' | 'Retry-After' | 'WWW-Authenticate';
}

/** Every status that says no, with the error body of its API. */
export const REFUSALS = {
  400: { name: 'BadRequest', about: 'The request is not one that the route takes.' },
  401: {
    name: 'Unauthorized',
    about: 'There is no token, or not a good one.',
    header: 'WWW-Authenticate',
  },
  403: { name: 'Forbidden', about: 'The action that is named was denied by the policy.' },
  404: {
    name: 'NotFound',
    about: 'Missing, or not to be seen: nobody can tell which. Or newer than the microversion.',
  },
  405: { name: 'MethodNotAllowed', about: 'Newer than the microversion.' },
  406: {
    name: 'NotAcceptable',
    about: 'The microversion is not served, or knows less than was asked.',
  },
  408: { name: 'RequestTimeout', about: 'The body did not arrive in time.' },
  409: {
    name: 'Conflict',
    about: 'The state of the thing does not let it happen, or somebody is at it.',
  },
  413: { name: 'ContentTooLarge', about: 'The body is larger than the route takes.' },
  414: { name: 'UriTooLong', about: 'The request target is too long.' },
  415: { name: 'UnsupportedMediaType', about: 'The body is not application/json.' },
  417: { name: 'ExpectationFailed', about: 'The Expect header is not taken.' },
  429: {
    name: 'TooManyRequests',
    about:
      'More requests in a second than one caller has, or more of the decision log in a day than its project has.',
    header: 'Retry-After',
  },
  431: { name: 'HeadersTooLarge', about: 'The headers are too many or too large.' },
  500: { name: 'InternalError', about: 'Something that nobody expected.' },
  501: { name: 'NotImplemented', about: 'Hardware that is no virtual machine cannot do that.' },
  502: { name: 'BadGateway', about: 'A service, or the hardware, gave no good answer.' },
  503: {
    name: 'Unavailable',
    about: 'A part that is needed does not answer; nothing was allowed.',
  },
  504: { name: 'GatewayTimeout', about: 'A service, or the hardware, took too long.' },
  507: { name: 'InsufficientStorage', about: 'The store has no room for what would be written.' },
} as const satisfies Record<number, Refusal>;

export type RefusalStatus = keyof typeof REFUSALS;

const ANYWHERE = [400, 406, 414, 417, 431, 500] as const;
const FORWARDED = [502, 503, 504] as const;
const WITH_TOKEN = [401, 403, 429] as const;
const WITH_BODY = [408, 413, 415] as const;

const READS: readonly string[] = ['GET', 'HEAD'];

/** The statuses other than success that a request to this route may get, in order. */
export function refusalsOf(route: Route): readonly RefusalStatus[] {
  const { upstream, action, signedAs, body, since } = route;
  const isOwn = upstream === 'gateway';
  const statuses: readonly RefusalStatus[] = [
    ...ANYWHERE,
    ...(isOwn ? [] : FORWARDED),
    ...(action === null ? [] : WITH_TOKEN),
    ...(signedAs !== undefined || isOwn ? ([429] as const) : []),
    ...(body.limit > 0 ? WITH_BODY : []),
    ...(since?.status === 405 ? ([405] as const) : []),
    ...ofTheThing(route),
  ];
  return statuses.toSorted((one, other) => one - other);
}

/** What may stand in the way although the caller may. */
const ofTheThing = (route: Route): readonly RefusalStatus[] => [
  ...(mayMiss(route) ? ([404] as const) : []),
  ...(mayConflict(route) ? ([409] as const) : []),
  ...(mayBeBeyond(route) ? ([501] as const) : []),
  ...(mayLackRoom(route) ? ([507] as const) : []),
];

function mayMiss(route: Route): boolean {
  const { path, query, resource, since } = route;
  return (
    path.includes('{') ||
    since?.status === 404 ||
    (resource !== null && !('member' in resource.from)) ||
    query.values().some(({ names }) => names)
  );
}

/** A vendor's method may act whatever the verb: that is what `or` says. */
const mayConflict = ({ method, answer }: Route): boolean =>
  !READS.includes(method) || answer.or !== undefined;

/** A server may be told to do what only a virtual machine can. */
const mayBeBeyond = ({ api, method, path }: Route): boolean =>
  api === 'compute' && method === 'POST' && path.endsWith('/action');

/** The inventory says itself that its store is full; for what other services have to write there, they say 503. */
const mayLackRoom = (route: Route): boolean => route.upstream === 'inventory' && mayConflict(route);
