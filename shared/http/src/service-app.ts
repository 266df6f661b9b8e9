import {
  type AppError,
  CONTEXT_HEADER,
  type ContextClaims,
  ContextReplayedError,
  type PartName,
  toAppError,
  toIronicBody,
  toProblem,
  UnauthorizedError,
  AccessDeniedError,
  NotFoundError,
} from '@tenure/contracts';
import { type Logger, type RequestMetrics } from '@tenure/process';
import {
  type ContextKeys,
  createUsedContexts,
  verifyBody,
  verifyContext,
} from '@tenure/signed-context';
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Router,
} from 'express';
import { parseJson, readBody } from './read-body.js';
import { joinTrace, measured } from './request-watch.js';
import { sayingSpent } from './spent-header.js';

export interface ServiceAppOptions {
  readonly keys: ContextKeys;
  readonly logger: Logger;
  /** Bytes; the largest body that any route of the service takes. */
  readonly bodyLimit: number;
  readonly routers: readonly Router[];
  /** Where requests are counted; nowhere when absent. */
  readonly metrics?: RequestMetrics | undefined;
  /** How public routes say an error; Ironic's way unless something else is said. */
  readonly errorBody?: (error: AppError) => unknown;
}

const contexts = new WeakMap<Request, ContextClaims>();
const bodies = new WeakMap<Request, Buffer>();

/** Methods that change nothing: their contexts may be repeated, for example to a reader thread. */
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** Maximum depth of the logged cause chain: an error may, by mistake, be its own cause. */
const MAX_CAUSES = 8;

/**
 * The verified context of a request.
 * @throws UnauthorizedError when the route was mounted without the context middleware: never an allow
 */
export function contextOf(request: Request): ContextClaims {
  const claims = contexts.get(request);
  if (claims === undefined) throw new UnauthorizedError();
  return claims;
}

/**
 * The body as it came, byte for byte; empty when there is none. For a service that hands a request on with its context,
 * which is bound to these bytes.
 */
export const bodyOf = (request: Request): Buffer => bodies.get(request) ?? Buffer.alloc(0);

/** Lets through only requests whose context was signed by one of `callers`. */
export const onlyFrom =
  (...callers: readonly PartName[]): RequestHandler =>
  (request, _response, next) => {
    const { iss } = contextOf(request);
    if (!callers.includes(iss))
      throw new AccessDeniedError(`${request.method} ${request.path} by ${iss}`);
    next();
  };

/**
 * An Express app whose every request carries a good context before it is routed (docs/contracts/signed-context.md).
 * Public routes render errors as Ironic does, or as the service says; `/internal/…` as RFC 9457 problems.
 */
export function createServiceApp(options: ServiceAppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('query parser', 'simple');
  app.set('case sensitive routing', true);
  app.use(measured(options.metrics));
  app.use(verifyRequest(options));
  app.use(sayingSpent());
  for (const router of options.routers) app.use(router);
  app.use((request) => {
    throw new NotFoundError(`${request.path} is not a path of this service.`);
  });
  app.use(renderError(options));
  return app;
}

function verifyRequest({ keys, bodyLimit }: ServiceAppOptions): RequestHandler {
  const used = createUsedContexts();
  return async (request, response, next) => {
    const token = request.headers[CONTEXT_HEADER];
    if (typeof token !== 'string') throw new UnauthorizedError('A signed context is required.');
    const { method, originalUrl: target } = request;
    // Before the body is read, so that a caller without a valid context costs little.
    const claims = verifyContext(keys, token, { method, target });
    const body = await readBody(request, bodyLimit);
    verifyBody(claims, body);
    contexts.set(request, claims);
    if (!READS.has(method)) used.use(claims);
    if (body.length > 0) {
      bodies.set(request, body);
      request.body = parseJson(body);
    }
    joinTrace(request, response, claims, next);
  };
}

const renderError =
  ({ logger, errorBody = toIronicBody }: ServiceAppOptions): ErrorRequestHandler =>
  (thrown, request, response, _next) => {
    const error = toAppError(thrown);
    log(logger, request, error);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    response.status(error.status).set(error.headers);
    if (request.path.startsWith('/internal/'))
      response.type('application/problem+json').send(JSON.stringify(toProblem(error)));
    // Not `json()`, which adds a charset: a service's error must look the same as the gateway's.
    else
      response.setHeader('Content-Type', 'application/json').end(JSON.stringify(errorBody(error)));
  };

/**
 * Unexpected errors are logged with their stack. Tenure's own refusals with 5xx, and replayed contexts, are logged as one
 * line.
 */
function log(logger: Logger, request: Request, error: AppError): void {
  const line = {
    code: error.code,
    status: error.status,
    method: request.method,
    path: request.path,
    request_id: contexts.get(request)?.request_id,
  };
  if (error.code === 'internal') logger.error({ ...line, err: error }, error.message);
  else if (error.status >= 500 || error instanceof ContextReplayedError)
    logger.warn({ ...line, cause: reasonOf(error) }, error.message);
  else logger.debug({ ...line, err: error }, error.message);
}

/** The messages of the whole cause chain: the response shows only the first, which may reveal less. */
function reasonOf({ cause }: AppError): unknown {
  if (!(cause instanceof Error)) return cause;
  const messages: string[] = [];
  for (let at: unknown = cause; at instanceof Error && messages.length < MAX_CAUSES; at = at.cause)
    messages.push(at.message);
  return messages.join(': ');
}
