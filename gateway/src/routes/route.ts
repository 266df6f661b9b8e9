import { type Api } from '../dialects/dialect.js';
import { type TenancyKind } from '../ports/tenancy-source.js';
import { type ActionChoice, type PersonalResource } from './action-choice.js';
import { type Answer } from './answers.js';
import { type BodyKind } from './bodies/body-kind.js';
import { type QueryKeys } from './query-key.js';

export type Upstream = 'inventory' | 'conductor' | 'allocation' | 'compute';

/** Where a request names a resource: in a segment of the path, in one of several query keys, or in a member of its body. */
type IdentLocation =
  | { readonly param: string }
  | { readonly query: readonly string[] }
  /** The body names the parent of the new resource. If the parent is missing, the service reports it, not the gateway. */
  | { readonly member: string };

/** A resource whose tenancy is loaded before the policy is queried. */
export interface LoadedResource {
  /** Resource type in the question to the policy. */
  readonly type: Exclude<TenancyKind, 'node_allocation' | 'node_lease'> | 'volume' | 'handover';
  /** The kind of resource whose tenancy the question contains. */
  readonly loads: TenancyKind;
  readonly from: IdentLocation;
}

/** A question about the parent, which must be allowed as well. If it is denied or not visible, that is the answer. */
export interface ParentQuestion {
  readonly action: string;
  /** Null when the question depends on the caller alone. */
  readonly resource: LoadedResource | null;
}

/** The first microversion of a route, and Ironic's answer below it. */
export interface Since {
  readonly minor: number;
  readonly status: 404 | 405 | 406;
  readonly message: string;
  /** Served in the minimum version as well, which is the default of clients that request none. */
  readonly orMinimum?: true;
  /** The policy is queried first: a denied caller gets the denial in every version. */
  readonly afterPolicy?: true;
}

/** One route. Requests that match no route of the table are not forwarded. */
export interface Route {
  /** The API whose error bodies and headers the answers have. */
  readonly api: Api;
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Segments in braces match any one segment; a literal segment goes before one in braces. */
  readonly path: string;
  /** Short description for the API documentation, without a full stop. */
  readonly summary: string;
  /** The service that serves it; `gateway` for the API description, which the gateway itself serves. */
  readonly upstream: Upstream | 'gateway';
  /** The policy action, or how it is chosen; null for a public route, which needs no token. */
  readonly action: string | ActionChoice | null;
  /** Action in the signed context of a public route that changes something; such a route is rate-limited by address. */
  readonly signedAs?: string;
  /** A route for the agents on machines, and where their token is expected. */
  readonly agent?: 'token_in_body' | 'token_in_header_or_body' | 'without_token';
  /** Null when nothing exists yet, or when the question is about a list or about the caller alone. */
  readonly resource: LoadedResource | null;
  readonly within?: ParentQuestion;
  /** The resource, where it belongs to a user; `resource` is null then. */
  readonly personal?: PersonalResource;
  readonly body: BodyKind;
  readonly query: QueryKeys;
  /** The success response; the error statuses are derived from the rest of the row. */
  readonly answer: Answer;
  /** A segment in braces that must be a uuid; only below a minor version when `below` says so. */
  readonly uuid?: { readonly param: string; readonly below?: number };
  /** A list, whose rows the policy filters. */
  readonly isList?: true;
  readonly since?: Since;
}
