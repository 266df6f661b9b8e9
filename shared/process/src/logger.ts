import { type DestinationStream, type Logger, pino } from 'pino';
import { traceFields } from './tracing/trace.js';

export type { Logger } from 'pino';

const SECRET_PATHS = [
  'token',
  'password',
  'secret',
  'authorization',
  '*.token',
  '*.password',
  '*.secret',
  '*.redfish_password',
  '*.authorization',
  'headers["x-auth-token"]',
  'headers["x-service-token"]',
  'headers["x-tenure-context"]',
  'headers.authorization',
  'req.headers["x-auth-token"]',
  'req.headers["x-service-token"]',
  'req.headers["x-tenure-context"]',
  'req.headers.authorization',
  'driver_info',
  '*.driver_info',
];

/**
 * The one logger of a process: JSON lines on stdout, secrets redacted by path.
 * @param destination for tests; stdout otherwise
 */
export const createLogger = (
  name: string,
  level: string,
  destination?: DestinationStream,
): Logger =>
  pino(
    {
      name,
      level,
      redact: { paths: SECRET_PATHS, censor: '******' },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      base: { name },
      mixin: () => ({ ...traceFields() }),
    },
    destination ?? pino.destination({ sync: true }),
  );
