import { readFileSync } from 'node:fs';
import { type Logger, type Watched, watchFiles } from '@tenure/process';
import { type FileUser, readUsers } from './users-file.js';

/** By name. */
export type Users = ReadonlyMap<string, FileUser>;

interface WatchUsersOptions {
  readonly passwordFile: string;
  readonly scopesFile: string;
  /** Milliseconds between checks of the files. */
  readonly everyMs: number;
  readonly logger: Logger;
}

/**
 * Reads users, and reads them again whenever one of the files has changed. A file that cannot be read or is invalid changes
 * nothing, because it may be half written.
 * @throws ConfigError when the files cannot be used at the start
 */
export function watchUsers(options: WatchUsersOptions): Watched<Users> {
  const { passwordFile, scopesFile, everyMs, logger } = options;
  return watchFiles<Users>({
    what: 'users',
    read: () => JSON.stringify([passwordFile, scopesFile].map(textOf)),
    make: (_texts, before) => {
      const now = readUsers(passwordFile, scopesFile);
      return before === undefined ? now : carriedOver(before, now);
    },
    everyMs,
    logger,
  });
}

/** A read error becomes part of the compared text. `readUsers` reports it with the name of the variable. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return String(error);
  }
}

/** An unchanged user stays the same object, so that cached logins stay valid. */
const carriedOver = (before: Users, now: Users): Users =>
  new Map(
    [...now].map(([name, user]) => {
      const previous = before.get(name);
      return [name, previous !== undefined && isSame(previous, user) ? previous : user];
    }),
  );

const isSame = (user: FileUser, other: FileUser): boolean =>
  user.written === other.written && JSON.stringify(user.subject) === JSON.stringify(other.subject);
