import { Type } from '@sinclair/typebox';
import { type ConfigOf, type Environment, loadConfig, type Variable } from '../config.js';

const Text = Type.String();
const Count = Type.Integer({ minimum: 1, maximum: 100_000 });
const Millis = Type.Integer({ minimum: 1, maximum: 600_000 });
const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** The variables of the OpenTelemetry specification that every part reads, under their own names. */
export const TRACING_VARIABLES = {
  endpoint: {
    env: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    schema: Text,
    fallback: '',
    about: 'collector of traces, for example http://127.0.0.1:4318; none are made without it',
  },
  tracesEndpoint: {
    env: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    schema: Text,
    fallback: '',
    about: 'the same with its whole path, for traces alone',
  },
  exporter: {
    env: 'OTEL_TRACES_EXPORTER',
    schema: Type.Union([Type.Literal('otlp'), Type.Literal('none')], {
      description: 'otlp or none',
    }),
    fallback: 'otlp' as const,
    about: 'none: no traces, whatever the endpoint says',
  },
  protocol: {
    env: 'OTEL_EXPORTER_OTLP_PROTOCOL',
    schema: Type.Literal('http/json', { description: 'http/json' }),
    fallback: 'http/json' as const,
    about: 'encoding towards the collector: http/json',
  },
  disabled: {
    env: 'OTEL_SDK_DISABLED',
    schema: Type.Boolean(),
    fallback: false,
    about: 'no traces, whatever else is set',
  },
  serviceName: {
    env: 'OTEL_SERVICE_NAME',
    schema: Text,
    fallback: '',
    about: 'name of this part in traces; tenure-<part> when not set',
  },
  sampler: {
    env: 'OTEL_TRACES_SAMPLER',
    schema: Type.Union(
      SAMPLERS.map((name) => Type.Literal(name)),
      { description: SAMPLERS.join(', ') },
    ),
    fallback: 'parentbased_traceidratio' as const,
    about: 'which traces are kept',
  },
  ratio: {
    env: 'OTEL_TRACES_SAMPLER_ARG',
    schema: Type.Number({ minimum: 0, maximum: 1 }),
    fallback: 1,
    about: 'share of the traces that begin here and are kept',
  },
  queueSize: {
    env: 'OTEL_BSP_MAX_QUEUE_SIZE',
    schema: Count,
    fallback: 2048,
    about: 'spans that wait for the collector; more are dropped and counted',
  },
  batchSize: {
    env: 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE',
    schema: Count,
    fallback: 512,
    about: 'spans in one request to the collector',
  },
  delayMs: {
    env: 'OTEL_BSP_SCHEDULE_DELAY',
    schema: Millis,
    fallback: 5000,
    about: 'milliseconds that spans gather',
  },
  timeoutMs: {
    env: 'OTEL_EXPORTER_OTLP_TIMEOUT',
    schema: Millis,
    fallback: 10_000,
    about: 'milliseconds that one request to the collector may take, repetitions included',
  },
} as const satisfies Readonly<Record<string, Variable>>;

export type TracingConfig = ConfigOf<typeof TRACING_VARIABLES>;

/**
 * Undefined when tracing is disabled.
 * @throws ConfigError
 */
export function loadTracingConfig(env: Environment): TracingConfig | undefined {
  if (!isTracingWanted(env)) return undefined;
  const config = loadConfig(TRACING_VARIABLES, env);
  return config.disabled || config.exporter === 'none' ? undefined : config;
}

/** Whether tracing is enabled: an endpoint is set, and no variable disables it. Cheap; nothing is validated. */
const isTracingWanted = (env: Environment): boolean =>
  [TRACING_VARIABLES.endpoint.env, TRACING_VARIABLES.tracesEndpoint.env].some(
    (name) => (env[name] ?? '') !== '',
  );
