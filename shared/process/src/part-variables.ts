import { Type } from '@sinclair/typebox';
import { ADMIN_PORT_OFFSET, DEFAULT_PORTS } from '@tenure/contracts';
import { type Environment, type Variable } from './config.js';
import { SHUTDOWN_DELAY_MS } from './connection-times.js';

const Port = Type.Integer({ minimum: 0, maximum: 65535 });
const ShutdownDelay = Type.Integer({ minimum: 0, maximum: 6000 });
const Text = Type.String({ minLength: 1 });

const LogLevel = Type.Union(
  ['trace', 'debug', 'info', 'warn', 'error', 'fatal'].map((level) => Type.Literal(level)),
  { description: 'trace, debug, info, warn, error or fatal' },
);

/** The variables that every part has. */
// A type, not an interface: only an object type may stand where any set of variables is taken.
// eslint-disable-next-line @typescript-eslint/consistent-type-definitions -- see above
export type PartVariables = {
  readonly host: Variable<typeof Text>;
  readonly port: Variable<typeof Port>;
  readonly adminPort: Variable<typeof Port>;
  readonly logLevel: Variable<typeof LogLevel>;
  readonly shutdownDelayMs: Variable<typeof ShutdownDelay>;
};

/** Where a part finds the keys it shares with other parts. */
export const contextKeysVariable = {
  env: 'TENURE_CONTEXT_KEYS_DIR',
  schema: Text,
  about: 'directory of <caller>--<audience>.key files',
} as const satisfies Variable;

/** Host and ports of a part, under its own prefix, and what is the same for every part. */
export function partVariables(part: keyof typeof DEFAULT_PORTS): PartVariables {
  const prefix = part.toUpperCase();
  return {
    host: {
      env: `${prefix}_HOST`,
      schema: Text,
      fallback: '127.0.0.1',
      about: 'address to listen on',
    },
    port: {
      env: `${prefix}_PORT`,
      schema: Port,
      fallback: DEFAULT_PORTS[part],
      about: 'port to listen on',
    },
    adminPort: {
      env: `${prefix}_ADMIN_PORT`,
      schema: Port,
      derive: (env: Environment) => {
        const port = Number(env[`${prefix}_PORT`] ?? DEFAULT_PORTS[part]);
        return port === 0 ? 0 : port + ADMIN_PORT_OFFSET;
      },
      about: 'port of /livez, /readyz and /metrics',
    },
    logLevel: {
      env: 'LOG_LEVEL',
      schema: LogLevel,
      fallback: 'info',
      about: 'least severe level that is logged',
    },
    shutdownDelayMs: {
      env: 'TENURE_SHUTDOWN_DELAY_MS',
      schema: ShutdownDelay,
      fallback: SHUTDOWN_DELAY_MS,
      about:
        'milliseconds for which a stop goes on serving, for clients that do not know of it yet; 0 where all parts stop together',
    },
  };
}
