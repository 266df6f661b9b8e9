import { type Subject } from '@tenure/contracts';
import { type ClientAddressOf } from '@tenure/http';
import { type ContextStatement } from '@tenure/signed-context';
import { type Callers } from '../../application/admission/callers.js';
import { type Admissions } from '../../application/admission/open.js';
import { type RefusalPace } from '../../application/admission/refusal-pace.js';
import { type StartQueue } from '../../application/admission/start-queue.js';
import { type Authenticator } from '../../application/authentication/authenticator.js';
import { type Authorizer } from '../../application/decisions/authorizer.js';
import { type AgentLimits } from '../../application/rate-limit/agent-limits.js';
import { type DialectOf } from '../../dialects/dialects.js';
import { type AgentTokens } from '../../ports/agent-tokens.js';
import { type Surface } from '../../routes/surface-routes.js';
import { type Forwarder } from '../forward/forwarder.js';
import { type Observer } from '../observe.js';

export interface GatewayDependencies {
  readonly dialectOf: DialectOf;
  readonly authenticator: Authenticator;
  /** `WWW-Authenticate` of every 401. */
  readonly challenge: string;
  readonly authorizer: Authorizer;
  readonly forwarder: Forwarder;
  readonly clientAddressOf: ClientAddressOf;
  /** Rate limit of routes that need authentication, by user. Returns a promise only while it waits for shared permits. */
  readonly rateLimit: (subject: Subject) => void | Promise<void>;
  /** Rate limit of public routes, by network. */
  readonly publicRateLimit: (network: string) => void;
  /** Rate limit of the routes of agents, by network. */
  readonly agentLimits: AgentLimits;
  readonly agentTokens: AgentTokens;
  /** The presumed tenants of requests, and the order in which requests start. */
  readonly callers: Callers;
  readonly startQueue: StartQueue;
  /** Delays the refusals of a tenant that sends too much. */
  readonly refusalPace: RefusalPace;
  /** Admission of authenticated requests. */
  readonly admissions: Admissions;
  /** The routes that this listener serves. */
  readonly surface: Surface;
  /** Signs the context of one request and its body for a service. */
  readonly sign: (statement: ContextStatement, body: Uint8Array) => string;
  readonly observer: Observer;
  /** Whether requests join the traces that clients name; otherwise these are only linked to. */
  readonly trustsTraces: boolean;
  /** `http://host:port` for links; undefined when it follows from each request's Host. */
  readonly publicUrl: string | undefined;
  /** Maximum body of a create request or a patch, in bytes. */
  readonly documentBytes: number;
  /** Milliseconds in which a request's body must arrive. */
  readonly bodyDeadlineMs: number;
  /** Milliseconds from the arrival of a request's body to its answer. */
  readonly requestDeadlineMs: number;
  /** Milliseconds of these that one service may take to begin its answer. */
  readonly upstreamDeadlineMs: number;
}
