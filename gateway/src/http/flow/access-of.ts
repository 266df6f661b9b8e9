import { NOVA_MIN_MICROVERSION, formatMicroversion, type CallContext } from '@tenure/contracts';
import { type Deadline } from '@tenure/process';
import { newCallContext } from '@tenure/signed-context';
import { type Access } from '../../application/decisions/access.js';
import { type BodyMeaning } from '../../routes/bodies/body-kind.js';
import { type Route } from '../../routes/route.js';
import { type Exchange } from '../exchange.js';
import { namedResources } from '../named-resource.js';
import { type Accepted } from './accept.js';
import { type GatewayDependencies } from './dependencies.js';

const PUBLIC_ACTION = 'public';
/** The version in the signed context when the request has none that the gateway understands, only Nova. */
const FALLBACK_VERSION = formatMicroversion(NOVA_MIN_MICROVERSION);

/** The body of a request, and its deadline. */
interface Request {
  /** Undefined when the body is empty. */
  readonly json: unknown;
  readonly meaning: BodyMeaning;
  readonly deadline: Deadline;
}

/** The context for the services, and the question to the policy, which is null on a public route. */
export function accessOf(
  deps: GatewayDependencies,
  exchange: Exchange,
  accepted: Accepted,
  { json, meaning, deadline }: Request,
): { readonly context: CallContext; readonly access: Access | null } {
  const { route, params, query, subject, version, strict } = accepted;
  const action = actionOf(route, accepted, json);
  const contextAction = action ?? route.signedAs;
  exchange.action = contextAction;
  const context = newCallContext(contextAction ?? PUBLIC_ACTION, {
    request_id: exchange.requestId,
    subject,
    api_version: version.text ?? FALLBACK_VERSION,
    public_base: deps.publicUrl ?? `http://${strict.headers.host}`,
  });
  if (action === null || subject === null) return { context, access: null };
  const { personal } = route;
  const access = {
    api: route.api,
    isList: route.isList === true,
    action,
    subject,
    ...namedResources(route, { params, query, json }),
    personal:
      personal === undefined
        ? null
        : { type: personal.type, creator: personal.user({ query, json }, subject.user_id) },
    meaning,
    context,
    deadline,
  };
  return { context, access };
}

const actionOf = ({ action }: Route, { query }: Accepted, json: unknown): string | null =>
  typeof action === 'object' && action !== null ? action.choose({ query, json }) : action;
