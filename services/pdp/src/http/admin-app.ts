import { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { type Static, Type } from '@sinclair/typebox';
import {
  AppError,
  BadRequestError,
  matches,
  NotFoundError,
  toAppError,
  toProblem,
  UnauthorizedError,
} from '@tenure/contracts';
import { parseJson } from '@tenure/http';
import { type Logger } from '@tenure/process';
import { type PolicyActivator } from '../application/activation/activator.js';
import { type PolicyShadow } from '../application/activation/shadow.js';
import { type Outcome } from '../application/activation/state.js';
import { type ClientCheck } from './client-tokens.js';
import { collectBody } from './collect-body.js';
import { requireJson } from './question-body.js';
import { outcomeBody } from './status-body.js';

export interface AdminAppOptions {
  readonly activator: Pick<PolicyActivator, 'reload' | 'rollBack'>;
  readonly shadow: Pick<PolicyShadow, 'status' | 'samples'> | undefined;
  /** The body of the status page. */
  readonly status: () => object;
  readonly isAdmin: ClientCheck;
  readonly logger: Pick<Logger, 'info' | 'error' | 'debug'>;
}

const BODY_LIMIT = 4096;
const JSON_TYPE = 'application/json';

const RollbackBody = Type.Object(
  { revision: Type.String({ pattern: '^sha256:[0-9a-f]{64}$' }) },
  { additionalProperties: false },
);

const STATUS_OF: Readonly<Record<Outcome['outcome'], number>> = {
  activated: 200,
  unchanged: 200,
  refused: 422,
  unknown: 404,
  away: 502,
};

type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** The administration API of the decision point, on the admin port. Errors are RFC 9457 problems. */
export function createAdminApp(options: AdminAppOptions): RequestListener {
  const { isAdmin, logger } = options;
  const routes = routesOf(options);
  const paths = new Set([...routes.keys()].map((route) => route.split(' ')[1]));

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    if (!paths.has(path)) throw new NotFoundError('There is nothing here.');
    if (!isAdmin(request.headers.authorization))
      throw new UnauthorizedError('An administrator’s token is required.', {
        headers: { 'WWW-Authenticate': 'Bearer' },
      });
    refuseForeignPages(request);
    const route = routes.get(`${request.method ?? ''} ${path}`);
    if (route === undefined)
      throw new AppError('method_not_allowed', 405, 'This method is not served here.', {
        headers: { Allow: methodsOf(routes, path) },
      });
    await route(request, response);
  };

  return (request, response) => {
    handle(request, response).catch((thrown: unknown) => {
      const error = toAppError(thrown);
      if (error.status >= 500) logger.error({ err: error }, error.message);
      else logger.debug({ err: error }, error.message);
      if (!response.headersSent)
        send(response, [error.status, 'application/problem+json'], toProblem(error), error.headers);
    });
  };
}

/** By method and path. */
const routesOf = ({
  activator,
  shadow,
  status,
  logger,
}: AdminAppOptions): ReadonlyMap<string, Handler> =>
  new Map<string, Handler>([
    [
      'GET /v1/policy/status',
      (_request, response) => {
        send(response, [200, JSON_TYPE], status());
      },
    ],
    [
      'GET /v1/policy/shadow',
      (_request, response) => {
        if (shadow === undefined) throw new NotFoundError('No shadow bundle is configured.');
        send(response, [200, JSON_TYPE], { ...shadow.status(), samples: shadow.samples() });
      },
    ],
    [
      'POST /v1/policy/bundle/reload',
      async (_request, response) => {
        logger.info('reload of the policy requested');
        sendOutcome(response, await activator.reload('push'));
      },
    ],
    [
      'POST /v1/policy/unpin',
      async (_request, response) => {
        logger.info('unpinning of the policy requested');
        sendOutcome(response, await activator.reload('unpin'));
      },
    ],
    [
      'POST /v1/policy/rollback',
      async (request, response) => {
        const { revision } = await rollbackIn(request);
        logger.info({ revision }, 'rollback of the policy requested');
        sendOutcome(response, await activator.rollBack(revision));
      },
    ],
  ]);

/** Refuses POSTs of pages of other sites: a browser can send them to loopback, but names their origin. */
function refuseForeignPages({ method, headers }: IncomingMessage): void {
  if (method !== 'GET' && headers.origin !== undefined)
    throw new AppError('forbidden', 403, 'Not for web pages.');
}

const methodsOf = (routes: ReadonlyMap<string, Handler>, path: string): string =>
  [...routes.keys()]
    .filter((route) => route.endsWith(` ${path}`))
    .map((route) => route.split(' ')[0])
    .join(', ');

function send(
  response: ServerResponse,
  [status, type]: readonly [status: number, type: string],
  value: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  const body = `${JSON.stringify(value)}\n`;
  response
    .writeHead(status, {
      ...headers,
      'Content-Type': type,
      'Content-Length': Buffer.byteLength(body),
      'Cache-Control': 'no-store',
    })
    .end(body);
}

function sendOutcome(response: ServerResponse, outcome: Outcome): void {
  send(response, [STATUS_OF[outcome.outcome], JSON_TYPE], outcomeBody(outcome));
}

async function rollbackIn(request: IncomingMessage): Promise<Static<typeof RollbackBody>> {
  requireJson(request.headers['content-type'], request.headers['content-encoding']);
  const parsed = parseJson(await bodyOf(request));
  if (!matches(RollbackBody, parsed))
    throw new BadRequestError('The body must be {"revision": "sha256:…"}.');
  return parsed;
}

const bodyOf = (request: IncomingMessage): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    collectBody(request, BODY_LIMIT, (body) => {
      if (body instanceof AppError) reject(body);
      else resolve(body);
    });
  });
