import { type Static, type TSchema } from '@sinclair/typebox';
import { matches } from '@tenure/contracts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** How one environment variable becomes one configuration value. */
export interface Variable<S extends TSchema = TSchema> {
  /** Name in the environment, for example `PDP_PORT`. */
  readonly env: string;
  readonly schema: S;
  readonly fallback?: Static<S>;
  /** A fallback that follows from other variables, for example a port from another port. */
  readonly derive?: (env: Environment) => Static<S>;
  /** For `--help` and the README's table. */
  readonly about: string;
}

export type Variables = Readonly<Record<string, Variable>>;
export type ConfigOf<V extends Variables> = { readonly [K in keyof V]: Static<V[K]['schema']> };
/** Every bad variable of a start, at once. */
export class ConfigError extends Error {
  constructor(problems: readonly string[]) {
    super(`Configuration is not usable:\n${problems.map((line) => `  ${line}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

interface SchemaHints {
  readonly type?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly description?: string;
}

const BOOLEANS: Readonly<Record<string, boolean>> = {
  true: true,
  '1': true,
  yes: true,
  on: true,
  false: false,
  '0': false,
  no: false,
  off: false,
};

/**
 * Reads a part's configuration. Empty variables count as unset. Values are never echoed: they may be secrets.
 * @throws ConfigError listing every variable that is missing or unusable
 */
export function loadConfig<V extends Variables>(variables: V, env: Environment): ConfigOf<V> {
  const problems: string[] = [];
  const entries = Object.entries(variables).map(([key, variable]): [string, unknown] => {
    const raw = env[variable.env];
    if (raw === undefined || raw === '') {
      if (variable.derive !== undefined) return [key, variable.derive(env)];
      if ('fallback' in variable) return [key, variable.fallback];
      problems.push(`${variable.env} is not set (${variable.about})`);
      return [key, undefined];
    }
    const value = typed(variable.schema, raw);
    if (!matches(variable.schema, value))
      problems.push(`${variable.env} must be: ${expectation(variable.schema)}`);
    return [key, value];
  });
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(Object.fromEntries(entries)) as ConfigOf<V>; // each value was checked against its schema above
}

function typed(schema: TSchema, raw: string): unknown {
  if (schema['type'] === 'integer' || schema['type'] === 'number')
    return raw.trim() === '' ? raw : Number(raw);
  if (schema['type'] === 'boolean') return BOOLEANS[raw.toLowerCase()] ?? raw;
  if (schema['type'] === 'array')
    return raw
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  return raw;
}

function expectation(schema: TSchema): string {
  const { type, minimum, maximum, description } = schema as TSchema & SchemaHints; // the members of JSON Schema we word
  if (description !== undefined) return description;
  const range =
    minimum === undefined && maximum === undefined
      ? ''
      : ` from ${String(minimum ?? '')} to ${String(maximum ?? '')}`;
  return `${type ?? 'value'}${range}`;
}
