import { Histogram, type Registry } from './metrics.js';

/** Called for each call to a dependency of a part. `outcome` is `ok`, `refused` or `failed`. */
export type ObserveDependency = (dependency: string, outcome: string, seconds: number) => void;

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Registers the calls of a part to others: parts, stores, Keystone. */
export function createDependencyMetrics(registry: Registry): ObserveDependency {
  const calls = new Histogram({
    name: 'tenure_dependency_call_duration_seconds',
    help: 'Calls to other parts and systems, by outcome: ok, refused (the answer was a refusal) or failed (no usable answer).',
    labelNames: ['dependency', 'outcome'],
    buckets: SECONDS,
    registers: [registry],
  });
  return (dependency, outcome, seconds) => {
    calls.observe({ dependency, outcome }, seconds);
  };
}

/** Times a call and reports its outcome. `outcomeOf` classifies an error: refusal or failure. */
export async function observed<T>(
  observe: ObserveDependency | undefined,
  dependency: string,
  call: () => Promise<T>,
  outcomeOf: (error: unknown) => 'refused' | 'failed' = () => 'failed',
): Promise<T> {
  if (observe === undefined) return call();
  const startedAt = performance.now();
  let outcome = 'ok';
  try {
    return await call();
  } catch (error) {
    outcome = outcomeOf(error);
    throw error;
  } finally {
    observe(dependency, outcome, (performance.now() - startedAt) / 1000);
  }
}
