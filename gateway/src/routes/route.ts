import { type Api } from '../dialects/dialect.js';
import { type TenancyKind } from '../ports/tenancy-source.js';
import { type ActionChoice, type PersonalThing } from './action-choice.js';
import { type Answer } from './answers.js';
import { type BodyKind } from './bodies/body-kind.js';
import { type QueryKeys } from './query-key.js';

export type Upstream = 'inventory' | 'conductor' | 'allocation' | 'compute';

/** Where a request names a thing: in a segment of the path, in one of several query keys, or in a member of its body. */
type IdentPlace =
  | { readonly param: string }
  | { readonly query: readonly string[] }
  /** What the body creates hangs on the thing; that it is missing is for the service to say. */
  | { readonly member: string };

/** A resource whose tenancy is loaded before the policy is asked. */
export interface LoadedResource {
  /** What the question is about, as the policy calls it. */
  readonly type: Exclude<TenancyKind, 'held_allocation' | 'held_lease'> | 'volume' | 'handover';
  /** Whose tenancy the question carries. */
  readonly loads: TenancyKind;
  readonly from: IdentPlace;
}

/** A question about the parent, which must be allowed as well. Refused or not visible: that is the answer. */
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
  /** Served in the minimum version as well, which is what a client gets that asks for none. */
  readonly orMinimum?: true;
  /** Who may not use the route is told so in every version. */
  readonly afterPolicy?: true;
}

/** One route. This table is what the gateway knows of the APIs; what is not in it is not forwarded. */
export interface Route {
  /** Whose words its answers have. */
  readonly api: Api;
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Segments in braces match any one segment; a literal segment goes before one in braces. */
  readonly path: string;
  /** For people: what it does, without a full stop. */
  readonly summary: string;
  /** `gateway`: it answers itself, with the description of this very table. */
  readonly upstream: Upstream | 'gateway';
  /** The policy action, or what it follows from; null for a public route, which needs no token. */
  readonly action: string | ActionChoice | null;
  /** What the signed context calls a public route that does something; such a route is limited by address. */
  readonly signedAs?: string;
  /** A route for the agents on machines, and where they show the token of their boot, if they do. */
  readonly agent?: 'token_in_body' | 'token_in_header_or_body' | 'without_token';
  /** Null when nothing exists yet, or when the question is about a list or about the caller alone. */
  readonly resource: LoadedResource | null;
  readonly within?: ParentQuestion;
  /** What the question is about where it belongs to a user; there is no `resource` then. */
  readonly personal?: PersonalThing;
  readonly body: BodyKind;
  readonly query: QueryKeys;
  /** When all went well; every other status follows from the rest of the row. */
  readonly answer: Answer;
  /** A segment in braces that must be a uuid; only below a minor version when `below` says so. */
  readonly uuid?: { readonly param: string; readonly below?: number };
  /** A list, whose rows the policy filters. */
  readonly isList?: true;
  readonly since?: Since;
}
