import { type IncomingMessage } from 'node:http';
import { isTracing, placeOf, type Span, type SpanOptions, startSpan } from '@tenure/process';
import { type Exchange } from './exchange.js';

/** Begins the span of a request; undefined while tracing is off. */
export const startRequestSpan = (request: IncomingMessage, isTrusted: boolean): Span | undefined =>
  isTracing()
    ? startSpan('request', {
        kind: 'server',
        ...placed(request.headers, isTrusted),
        attributes: { 'http.request.method': request.method },
      })
    : undefined;

/** Records the outcome of a request and ends its span. The project id is the only fact about the caller in it. */
export function endRequestSpan(
  exchange: Exchange,
  span: Span,
  { method, route, status }: Parameters<Exchange['ended']>[0],
): void {
  span.rename(`${method} ${route}`);
  span.setAttributes({
    'http.route': route,
    'http.response.status_code': status,
    'tenure.request_id': exchange.requestId,
    'tenure.decision_id': exchange.decisionId,
    'tenure.action': exchange.action,
    'tenure.project_id': exchange.subject?.project_id ?? undefined,
  });
  if (status >= 500) span.failed(String(status));
  span.end();
}

/**
 * The parent of a request's span. A client's `traceparent` only becomes a link, unless clients are trusted: otherwise any
 * client could choose trace ids and the sampling.
 */
function placed(
  { traceparent, tracestate }: IncomingMessage['headers'],
  isTrusted: boolean,
): Pick<SpanOptions, 'parent' | 'links'> {
  const place = placeOf(traceparent, tracestate);
  if (place === undefined) return { parent: null };
  return isTrusted ? { parent: place } : { parent: null, links: [{ ...place, state: undefined }] };
}
