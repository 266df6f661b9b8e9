import { every } from './concurrency/repeat.js';
import { type Logger } from './logger.js';

/** The value that is made of files, up to date. */
export interface Watched<T> {
  readonly current: () => T;
  readonly stop: () => void;
}

export interface WatchOptions<T> {
  /** Names the content of the files in the log: `context keys`. */
  readonly what: string;
  /** All of the text; nothing is made anew while it stays the same. */
  readonly read: () => string;
  /** @param before what was made last; undefined at first */
  readonly make: (text: string, before: T | undefined) => T;
  readonly logger: Pick<Logger, 'info' | 'error'>;
  /** Milliseconds between looks. */
  readonly everyMs?: number;
}

const EVERY_MS = 2000;

/**
 * Reads files, and reads them again when they change, so that a secret is replaced without a restart. Files that
 * cannot be read or are invalid change nothing and are logged once: a file may be half written.
 * @throws Error when they cannot be used at first
 */
export function watchFiles<T>({
  what,
  read,
  make,
  logger,
  everyMs = EVERY_MS,
}: WatchOptions<T>): Watched<T> {
  let seen = read();
  let made = make(seen, undefined);
  let trouble = '';

  const look = (): void => {
    try {
      const found = read();
      if (found === seen && trouble === '') return;
      made = make(found, made);
      seen = found;
      trouble = '';
      logger.info({ what }, 'files were read again');
    } catch (error) {
      if (trouble === String(error)) return;
      trouble = String(error);
      logger.error(
        { what, err: error },
        'changed files are invalid; the previous content stays in use',
      );
    }
  };
  const { stop } = every(everyMs, look);
  return {
    current: () => made,
    stop: () => {
      void stop();
    },
  };
}
