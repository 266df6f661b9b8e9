import { Gauge, Histogram, type Registry } from './metrics.js';

/** One request, from its arrival to its end. */
interface RequestEnded {
  readonly method: string;
  /** A template, never a path: of paths there is no end. */
  readonly route: string;
  readonly status: number;
}

/** Requests of one part: how many, how they ended, how long they took, how many are under way. */
export interface RequestMetrics {
  /** Counts a request in; what it returns counts it out, once. */
  readonly began: () => (ended: RequestEnded) => void;
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
]);

/** Registers them; every part has them under the same names. */
export function createRequestMetrics(registry: Registry): RequestMetrics {
  const inFlight = new Gauge({
    name: 'tenure_http_requests_in_flight',
    help: 'Requests that have arrived and are not answered yet.',
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'tenure_http_request_duration_seconds',
    help: "Time from a request's arrival to the end of its answer, by method, route template and status class.",
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
    registers: [registry],
  });
  // Looked up once: finding a labelled histogram costs more than observing. As many as there are routes and classes.
  const cached = new Map<string, Histogram.Internal<'method' | 'route' | 'status'>>();
  const seriesOf = ({ method, route, status }: RequestEnded) => {
    const labels = {
      method: METHODS.has(method) ? method : 'other',
      route,
      status: `${String(Math.floor(status / 100))}xx`,
    };
    const key = `${labels.method} ${route} ${labels.status}`;
    const found = cached.get(key) ?? seconds.labels(labels);
    cached.set(key, found);
    return found;
  };
  return {
    began: () => {
      const startedAt = performance.now();
      inFlight.inc();
      return (ended) => {
        inFlight.dec();
        seriesOf(ended).observe((performance.now() - startedAt) / 1000);
      };
    },
  };
}
