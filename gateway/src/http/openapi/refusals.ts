import { type Route } from '../../routes/route.js';

interface Refusal {
  /** Name of the component. */
  readonly name: string;
  readonly about: string;
  /** A header that only this answer has. */
  readonly header?: 'Allow' | 'Retry-After' | 'WWW-Authenticate';
}

/** Every error status. Its body has the form of the API's errors. */
export const REFUSALS = {
  400: { name: 'BadRequest', about: 'The request does not match the route.' },
  401: {
    name: 'Unauthorized',
    about: 'There is no token, or it is not valid.',
    header: 'WWW-Authenticate',
  },
  403: { name: 'Forbidden', about: 'The policy denied the named action.' },
  404: {
    name: 'NotFound',
    about:
      'The resource is missing or not visible, which cannot be distinguished; or the route is newer than the microversion.',
  },
  405: { name: 'MethodNotAllowed', about: 'The route is newer than the microversion.' },
  406: {
    name: 'NotAcceptable',
    about: 'The microversion is not served, or is too old for this request.',
  },
  408: { name: 'RequestTimeout', about: 'The body did not arrive in time.' },
  409: {
    name: 'Conflict',
    about:
      'The state of the resource does not allow it, or another operation has locked the resource.',
  },
  413: { name: 'ContentTooLarge', about: 'The body is larger than the route accepts.' },
  414: { name: 'UriTooLong', about: 'The request target is too long.' },
  415: { name: 'UnsupportedMediaType', about: 'The body is not application/json.' },
  417: { name: 'ExpectationFailed', about: 'The Expect header is not supported.' },
  429: {
    name: 'TooManyRequests',
    about:
      'The caller exceeded its requests per second, or its project exceeded its decision log per day.',
    header: 'Retry-After',
  },
  431: { name: 'HeadersTooLarge', about: 'The headers are too many or too large.' },
  500: { name: 'InternalError', about: 'An unexpected error.' },
  501: { name: 'NotImplemented', about: 'The operation is only possible on virtual machines.' },
  502: { name: 'BadGateway', about: 'A service or the hardware gave no valid answer.' },
  503: {
    name: 'Unavailable',
    about: 'A required service does not answer; nothing was allowed.',
  },
  504: { name: 'GatewayTimeout', about: 'A service or the hardware did not answer in time.' },
  507: { name: 'InsufficientStorage', about: 'The store has no space left for the write.' },
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
    ...ofTheResource(route),
  ];
  return statuses.toSorted((one, other) => one - other);
}

/** Errors that depend on the resource rather than on the caller's rights. */
const ofTheResource = (route: Route): readonly RefusalStatus[] => [
  ...(mayBeMissing(route) ? ([404] as const) : []),
  ...(mayConflict(route) ? ([409] as const) : []),
  ...(mayBeUnsupported(route) ? ([501] as const) : []),
  ...(mayLackSpace(route) ? ([507] as const) : []),
];

function mayBeMissing(route: Route): boolean {
  const { path, query, resource, since } = route;
  return (
    path.includes('{') ||
    since?.status === 404 ||
    (resource !== null && !('member' in resource.from)) ||
    query.values().some(({ names }) => names)
  );
}

/** A vendor's method may have effects with any verb; such a route has `or`. */
const mayConflict = ({ method, answer }: Route): boolean =>
  !READS.includes(method) || answer.or !== undefined;

/** Some server actions are only possible on virtual machines. */
const mayBeUnsupported = ({ api, method, path }: Route): boolean =>
  api === 'compute' && method === 'POST' && path.endsWith('/action');

/** Only the inventory reports a full store. Other services that write to it answer 503 then. */
const mayLackSpace = (route: Route): boolean =>
  route.upstream === 'inventory' && mayConflict(route);
