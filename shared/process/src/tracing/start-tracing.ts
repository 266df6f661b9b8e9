import { type Environment } from '../config.js';
import { type Logger } from '../logger.js';
import { type Registry } from '../metrics.js';
import { useTracer } from './trace.js';
import { loadTracingConfig } from './variables.js';

export interface Tracing {
  /** Sends what is left, for a second at most. */
  readonly stop: () => Promise<void>;
}

const NOTHING: Tracing = { stop: () => Promise.resolve() };

/**
 * Enables tracing for this process when the environment names a collector (docs/tracing.md); without one nothing is loaded.
 * @throws ConfigError
 */
export async function startTracing(
  part: string,
  env: Environment,
  registry: Registry,
  logger: Logger,
): Promise<Tracing> {
  const config = loadTracingConfig(env);
  if (config === undefined) return NOTHING;
  const { openTracer } = await import('./open-telemetry.js');
  const { tracer, close } = openTracer(part, config, registry, logger);
  useTracer(tracer);
  return {
    stop: async () => {
      useTracer(undefined);
      await close();
    },
  };
}
