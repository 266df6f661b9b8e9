import { readFile } from 'node:fs/promises';
import { type Logger } from '@tenure/process';
import { type FileUser, readUsers } from './users-file.js';

type Users = ReadonlyMap<string, FileUser>;

/** The users of two files, as they are now. */
export interface WatchedUsers {
  readonly current: () => Users;
  readonly stop: () => void;
}

export interface WatchOptions {
  readonly passwordFile: string;
  readonly scopesFile: string;
  /** Milliseconds between looks at the files. */
  readonly everyMs: number;
  readonly logger: Logger;
}

const isSame = (user: FileUser, other: FileUser): boolean =>
  user.written === other.written && JSON.stringify(user.subject) === JSON.stringify(other.subject);

/** Who did not change stays the same object, so that a login of before is still known. */
const carriedOver = (before: Users, now: Users): Users =>
  new Map(
    [...now].map(([name, user]) => {
      const known = before.get(name);
      return [name, known !== undefined && isSame(known, user) ? known : user];
    }),
  );

/**
 * Reads users, and reads them again whenever one of the files has changed. What cannot be read, or is wrong, changes nothing:
 * a file may be half written.
 * @throws ConfigError when they cannot be read at first
 */
export const watchUsers = (options: WatchOptions): WatchedUsers => {
  const { passwordFile, scopesFile, logger } = options;
  const files = [passwordFile, scopesFile];
  let users: Users = readUsers(passwordFile, scopesFile);
  let seen: string | undefined;
  let isBusy = false;

  const reload = (): void => {
    try {
      users = carriedOver(users, readUsers(passwordFile, scopesFile));
      logger.info({ users: users.size }, 'the users file was read');
    } catch (error) {
      logger.error({ err: error }, 'the changed users file is wrong; the users stay as they were');
    }
  };
  const look = async (): Promise<void> => {
    const texts = await Promise.all(
      files.map((file) => readFile(file, 'utf8').catch((error: unknown) => String(error))),
    );
    const found = JSON.stringify(texts);
    if (found === seen) return;
    seen = found;
    reload();
  };
  const timer = setInterval(() => {
    if (isBusy) return;
    isBusy = true;
    void look().finally(() => {
      isBusy = false;
    });
  }, options.everyMs);
  timer.unref();
  return {
    current: () => users,
    stop: () => {
      clearInterval(timer);
    },
  };
};
