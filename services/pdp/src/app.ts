import { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import {
  AppError,
  NotFoundError,
  toAppError,
  toProblem,
  UnauthorizedError,
} from '@tenure/contracts';
import { type Logger } from '@tenure/process';
import { type DecisionPoint } from './decision-point.js';
import { type ClientCheck } from './http/client-tokens.js';
import { collectBody } from './http/collect-body.js';
import { inputOf, requireJson } from './http/question-body.js';
import { type Entrypoint } from './ports/policy-engine.js';

export interface AppOptions {
  readonly point: DecisionPoint;
  readonly isClient: ClientCheck;
  readonly logger: Pick<Logger, 'error' | 'debug'>;
}

/** Bytes of a question. */
const BODY_LIMIT = 256 * 1024;
const DATA_PATH = '/v1/data/tenure/authz/';
const REVISION_PATH = '/v1/policy/revision';
const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;
const REQUEST_ID_HEADER = 'X-Openstack-Request-Id';

const requestIdOf = (request: IncomingMessage): string | undefined => {
  const id = request.headers['x-openstack-request-id'];
  return typeof id === 'string' && REQUEST_ID.test(id) ? id : undefined;
};

const peerOf = ({ socket }: IncomingMessage): string =>
  `${socket.remoteAddress ?? ''}:${socket.remotePort ?? ''}`;

/** OPA's clients add `?metrics`, `?pretty`, `?instrument`…: none of them changes a decision, so all are ignored. */
const pathOf = (request: IncomingMessage): string => {
  const target = request.url ?? '';
  const end = target.indexOf('?');
  return end === -1 ? target : target.slice(0, end);
};

const entrypointOf = (path: string): Entrypoint | undefined => {
  if (path === `${DATA_PATH}decision`) return 'decision';
  return path === `${DATA_PATH}batch` ? 'batch' : undefined;
};

const requireMethod = (request: IncomingMessage, allowed: string): void => {
  if (request.method !== allowed)
    throw new AppError('method_not_allowed', 405, `Only ${allowed} is served here.`, {
      headers: { Allow: allowed },
    });
};

const send = (request: IncomingMessage, response: ServerResponse, body: string): void => {
  // An array is written as it is; an object would be copied and checked. All values here are ours.
  const headers = [
    'Content-Type',
    'application/json',
    'Content-Length',
    String(Buffer.byteLength(body)),
  ];
  const requestId = requestIdOf(request);
  if (requestId !== undefined) headers.push(REQUEST_ID_HEADER, requestId);
  response.writeHead(200, headers).end(body);
};

const failWith =
  (logger: AppOptions['logger']) =>
  (request: IncomingMessage, response: ServerResponse, thrown: unknown): void => {
    const error = toAppError(thrown);
    const requestId = requestIdOf(request);
    const line = { err: error, code: error.code, status: error.status, req_id: requestId };
    if (error.status >= 500) logger.error(line, error.message);
    else logger.debug(line, error.message);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const body = JSON.stringify(toProblem(error));
    response
      .writeHead(error.status, {
        ...error.headers,
        'Content-Type': 'application/problem+json',
        'Content-Length': Buffer.byteLength(body),
        ...(requestId !== undefined && { [REQUEST_ID_HEADER]: requestId }),
      })
      .end(body);
  };

/**
 * The decision API: OPA's Data API for `tenure/authz/decision` and `tenure/authz/batch`.
 * On node:http because a framework would cost more than the decision. Errors are RFC 9457 problems, never a result.
 */
export const createApp = ({ point, isClient, logger }: AppOptions): RequestListener => {
  const fail = failWith(logger);

  const decide = (
    request: IncomingMessage,
    response: ServerResponse,
    entrypoint: Entrypoint,
  ): void => {
    const startedAt = performance.now();
    requireMethod(request, 'POST');
    requireJson(request.headers['content-type'], request.headers['content-encoding']);
    collectBody(request, BODY_LIMIT, (body) => {
      try {
        if (body instanceof AppError) throw body;
        const answer = point.answer({
          entrypoint,
          input: inputOf(body),
          requestedBy: peerOf(request),
          requestId: requestIdOf(request),
          startedAt,
        });
        send(request, response, answer);
      } catch (error) {
        fail(request, response, error);
      }
    });
  };

  return (request, response) => {
    try {
      if (!isClient(request.headers.authorization))
        throw new UnauthorizedError('A client token is required.', {
          headers: { 'WWW-Authenticate': 'Bearer' },
        });
      const path = pathOf(request);
      const entrypoint = entrypointOf(path);
      if (entrypoint !== undefined) decide(request, response, entrypoint);
      else if (path === REVISION_PATH) {
        requireMethod(request, 'GET');
        send(request, response, JSON.stringify({ revision: point.revision() }));
      } else throw new NotFoundError('There is no such document here.');
    } catch (error) {
      fail(request, response, error);
    }
  };
};
