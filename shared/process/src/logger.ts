import { seenJson } from '@tenure/contracts';
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

const END = '\n';

/** Escapes invisible characters, because a log may be read in a terminal. The newline at the end of the line stays. */
const streamWrite = (line: string): string =>
  line.endsWith(END) ? `${seenJson(line.slice(0, -END.length))}${END}` : seenJson(line);

/**
 * The one logger of a process: JSON lines on stdout, with secrets redacted by path and terminal control characters escaped.
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
      hooks: { streamWrite },
    },
    destination ?? pino.destination({ sync: true }),
  );
