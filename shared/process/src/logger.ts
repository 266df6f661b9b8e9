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

/** Whoever follows a log in a terminal sees what clients sent. The newline that ends the line is none of it. */
const streamWrite = (line: string): string =>
  line.endsWith(END) ? `${seenJson(line.slice(0, -END.length))}${END}` : seenJson(line);

/**
 * The one logger of a process: JSON lines on stdout, secrets redacted by path, and nothing in them that acts on a terminal.
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
