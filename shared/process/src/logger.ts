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

/** Bytes of lines that wait while they cannot be written, before further lines are dropped. */
const BACKLOG = 4 * 1024 * 1024;

interface DestinationOptions {
  /** Descriptor or path; stdout otherwise. */
  readonly dest?: string | number;
  readonly sync: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly periodicFlush?: number;
}

/**
 * Where lines of the log go. A line that cannot be written, for example to a file on a full disk, ends no process: it is
 * written with a later one, or dropped once 4 MiB wait.
 */
export function logDestination({
  dest = 1,
  maxLength = BACKLOG,
  ...options
}: DestinationOptions): ReturnType<typeof pino.destination> {
  const stream = pino.destination({ dest, maxLength, ...options });
  const flushSync = stream.flushSync.bind(stream);
  let isFailing = false;
  stream.on('error', () => {
    isFailing = true;
  });
  stream.on('write', () => {
    isFailing = false;
  });
  // It would try for ever, and a process that ends or says why it does calls it.
  stream.flushSync = () => {
    if (!isFailing) flushSync();
  };
  return stream;
}

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
    destination ?? logDestination({ sync: true }),
  );

/** Escapes invisible characters, because a log may be read in a terminal. The newline at the end of the line stays. */
const streamWrite = (line: string): string =>
  line.endsWith(END) ? `${seenJson(line.slice(0, -END.length))}${END}` : seenJson(line);
