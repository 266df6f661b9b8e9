import { type IncomingMessage, type ServerResponse } from 'node:http';
import { AppError, toAppError, toProblem } from '@tenure/contracts';
import { type Logger } from '@tenure/process';
import { type DecisionPoint } from '../application/decision-point.js';
import { requestIdOf } from './request-facts.js';

const REQUEST_ID_HEADER = 'X-Openstack-Request-Id';

/** The collaborators of the handlers of one request. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly point: DecisionPoint;
  readonly publicUrl: string;
  readonly logger: Pick<Logger, 'error' | 'debug'>;
}

interface Failure {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly thrown: unknown;
}

/** @throws AppError 405 */
export function requireMethod(request: IncomingMessage, allowed: string): void {
  if (request.method !== allowed)
    throw new AppError('method_not_allowed', 405, `Only ${allowed} is served here.`, {
      headers: { Allow: allowed },
    });
}

/** Answers with JSON of our own. */
export function send(
  request: IncomingMessage,
  response: ServerResponse,
  body: string,
  status = 200,
): void {
  // An array is written as it is; an object would be copied and checked. All values here are ours.
  const headers = [
    'Content-Type',
    'application/json',
    'Content-Length',
    String(Buffer.byteLength(body)),
  ];
  const requestId = requestIdOf(request);
  if (requestId !== undefined) headers.push(REQUEST_ID_HEADER, requestId);
  response.writeHead(status, headers).end(body);
}

/** Answers with a problem, which is never a result, and logs it. */
export function fail(logger: Exchange['logger'], { request, response, thrown }: Failure): void {
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
}
