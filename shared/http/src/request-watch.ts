import {
  inSpan,
  isTracing,
  placeOf,
  type RequestMetrics,
  type Span,
  startSpan,
} from '@tenure/process';
import { type NextFunction, type Request, type RequestHandler, type Response } from 'express';

interface Verified {
  readonly request_id: string;
  readonly iss: string;
  readonly action: string;
  readonly decision_id: string | null;
}

/** Counts every request, also one that is refused for its context. */
export const measured =
  (metrics: RequestMetrics | undefined): RequestHandler =>
  (request, response, next) => {
    if (metrics !== undefined) {
      const ended = metrics.began();
      response.once('close', () => {
        ended({ method: request.method, route: routeOf(request), status: response.statusCode });
      });
    }
    next();
  };

/**
 * Joins the trace of the sender of the request, in a new span. Only with a verified context: then it was a part
 * that named the trace.
 */
export function joinTrace(
  request: Request,
  response: Response,
  claims: Verified,
  next: NextFunction,
): void {
  if (!isTracing()) {
    next();
    return;
  }
  const { traceparent, tracestate } = request.headers;
  const span = startSpan(request.method, {
    kind: 'server',
    parent: placeOf(traceparent, tracestate) ?? null,
    attributes: {
      'http.request.method': request.method,
      'tenure.request_id': claims.request_id,
      'tenure.caller': claims.iss,
      'tenure.action': claims.action,
      'tenure.decision_id': claims.decision_id ?? undefined,
    },
  });
  if (span !== undefined) endOn(request, response, span);
  inSpan(span, next);
}

/** The template of the route that took a request, never its path; `none` when none did. */
function routeOf(request: Request): string {
  // Express sets it once a route matches, and types it `any`.
  const { route } = request as { readonly route?: { readonly path?: unknown } };
  const path = route?.path;
  return typeof path === 'string' ? path : 'none';
}

function endOn(request: Request, response: Response, span: Span): void {
  response.once('close', () => {
    const route = routeOf(request);
    span.rename(`${request.method} ${route}`);
    span.setAttributes({ 'http.route': route, 'http.response.status_code': response.statusCode });
    if (response.statusCode >= 500) span.failed(String(response.statusCode));
    span.end();
  });
}
