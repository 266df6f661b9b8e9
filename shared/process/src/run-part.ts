import { type Logger } from './logger.js';

/** A started part. `stop` drains and closes; it is called once. */
export interface RunningPart {
  readonly stop: () => Promise<void>;
}

const STOP_DEADLINE_MS = 14_000;

const message = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/**
 * Runs a part until SIGTERM or SIGINT, then stops it within 15 s.
 * A start that fails, an uncaught exception or an unhandled rejection ends the process with status 1 and one log line:
 * a part in an unknown state must not go on answering.
 */
export const runPart = async (logger: Logger, start: () => Promise<RunningPart>): Promise<void> => {
  const die =
    (what: string) =>
    (error: unknown): void => {
      logger.fatal({ err: error }, `${what}: ${message(error)}`);
      process.exit(1);
    };
  process.on('uncaughtException', die('uncaught exception'));
  process.on('unhandledRejection', die('unhandled rejection'));
  let part: RunningPart;
  try {
    part = await start();
  } catch (error) {
    die('could not start')(error);
    return;
  }
  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) return;
    stopping = true;
    logger.info({ signal }, 'stopping');
    setTimeout(() => {
      die('stop took too long')(signal);
    }, STOP_DEADLINE_MS).unref();
    part.stop().then(() => {
      logger.info('stopped');
      process.exit(0);
    }, die('stop failed'));
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // Started by `tenure up`, which is gone, however it ended: nobody would ever stop this part.
  process.on('disconnect', () => {
    stop('SIGTERM');
  });
};
