import {
  Counter,
  createRequestMetrics,
  Histogram,
  type Logger,
  type Registry,
  type RequestMetrics,
} from '@tenure/process';

/** A completed request, for the access log. */
export interface Ended {
  readonly requestId: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** The template of the route, or `none`; not the path itself, because the number of paths is unbounded. */
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
  readonly userId?: string | undefined;
  readonly projectId?: string | null | undefined;
  readonly action?: string | undefined;
  readonly decisionId?: string | undefined;
  readonly traceId?: string | undefined;
}

/** A request that failed authentication. Contains no part of its credentials. */
export interface Refused {
  readonly requestId: string;
  readonly address: string;
  readonly method: string;
  readonly path: string;
  readonly reason: string;
}

/** Metrics, the access log and the audit line of each failed authentication. */
export interface Observer extends RequestMetrics {
  readonly ended: (ended: Ended) => void;
  readonly refused: (refused: Refused) => void;
  /** Counts a denial by the policy. */
  readonly denied: (action: string) => void;
  /** Records the seconds of an authorization, or of the wait for a service's answer. */
  readonly took: (step: 'decision' | 'forward', seconds: number) => void;
  /** Logs an error with its cause. */
  readonly failed: (requestId: string, error: Error) => void;
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Observes into a metrics registry and a logger. */
export function createObserver(registry: Registry, logger: Logger): Observer {
  const { requests, refusals, denials, steps } = metricsOf(registry);
  // An access line contains no secret, so it skips redaction, which is most of its cost.
  const accessLog = logger.child({}, { redact: [] });
  return {
    ...createRequestMetrics(registry),
    ended: ({ requestId, method, path, route, status, durationMs, ...who }) => {
      requests.inc({ route: `${method} ${route}`, status });
      accessLog.info(
        {
          request_id: requestId,
          method,
          path,
          status,
          duration_ms: Math.round(durationMs * 10) / 10,
          user_id: who.userId,
          project_id: who.projectId,
          action: who.action,
          decision_id: who.decisionId,
          ...(who.traceId !== undefined && { trace_id: who.traceId }),
        },
        'request',
      );
    },
    refused: ({ requestId, ...refused }) => {
      refusals.inc();
      logger.warn(
        { audit: 'authentication_failed', request_id: requestId, ...refused },
        'authentication failed',
      );
    },
    denied: (action) => {
      denials.inc({ action });
    },
    took: (step, seconds) => {
      steps[step].observe(seconds);
    },
    failed: (requestId, error) => {
      logger.error({ request_id: requestId, err: error }, error.message);
    },
  };
}

function metricsOf(registry: Registry) {
  const requests = new Counter({
    name: 'tenure_gateway_requests_total',
    help: 'Requests answered, by route and status.',
    labelNames: ['route', 'status'],
    registers: [registry],
  });
  const refusals = new Counter({
    name: 'tenure_gateway_authentication_failures_total',
    help: 'Requests whose caller could not be authenticated.',
    registers: [registry],
  });
  const denials = new Counter({
    name: 'tenure_gateway_denials_total',
    help: 'Requests that the policy refused, by action.',
    labelNames: ['action'],
    registers: [registry],
  });
  const histogram = (name: string, help: string): Histogram =>
    new Histogram({ name, help, buckets: SECONDS, registers: [registry] });
  const steps = {
    decision: histogram(
      'tenure_gateway_decision_duration_seconds',
      'Time to load tenancy and query the policy.',
    ),
    forward: histogram(
      'tenure_gateway_forward_duration_seconds',
      'Time until a service began to answer.',
    ),
  };
  return { requests, refusals, denials, steps };
}
