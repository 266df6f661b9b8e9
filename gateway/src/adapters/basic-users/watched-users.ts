import { readFileSync } from 'node:fs';
import { type Logger, type Watched, watchFiles } from '@tenure/process';
import { type FileUser, readUsers } from './users-file.js';

/** By name. */
export type Users = ReadonlyMap<string, FileUser>;

interface WatchUsersOptions {
  readonly passwordFile: string;
  readonly scopesFile: string;
  /** Milliseconds between looks at the files. */
  readonly everyMs: number;
  readonly logger: Logger;
}

/**
 * Reads users, and reads them again whenever one of the files has changed. What cannot be read, or is wrong, changes nothing:
 * a file may be half written.
 * @throws ConfigError when they cannot be used at first
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

/** What is missing is told by `readUsers`, by the name of its variable. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return String(error);
  }
}

/** Who did not change stays the same object, so that a login of before is still known. */
const carriedOver = (before: Users, now: Users): Users =>
  new Map(
    [...now].map(([name, user]) => {
      const known = before.get(name);
      return [name, known !== undefined && isSame(known, user) ? known : user];
    }),
  );

const isSame = (user: FileUser, other: FileUser): boolean =>
  user.written === other.written && JSON.stringify(user.subject) === JSON.stringify(other.subject);
