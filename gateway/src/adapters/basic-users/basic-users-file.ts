import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { AppError } from '@tenure/contracts';
import { type Identity, unauthorized } from '@tenure/tokens';
import { type FailureLimit } from '../../application/authentication/failure-limit.js';
import { type BasicUsers } from '../../ports/basic-users.js';
import { type PasswordHash, passwordHash } from './password-hash.js';
import { type FileUser } from './users-file.js';

/** Maximum of concurrent password checks: each one takes a tenth of a second of CPU time. */
const MAX_AT_ONCE = 4;

/** Hash of a random password, checked for names that do not exist: response times must not reveal which users exist. */
const NOBODY = '$2b$10$IMD5Eib1sfBVL0.JKFrODeZEWv2JPm87S9CjGtwD46YZT74WB4KUO';

/** A successful login, and the user's entry in the file at that time. */
interface CachedLogin {
  readonly mac: Buffer;
  readonly user: FileUser;
  readonly identity: Identity;
}

/**
 * Users of a file. A password that was right once is accepted from the cache, also while failed logins for the name are limited.
 * @param users the current content of the file
 */
export function createFileUsers(
  users: () => ReadonlyMap<string, FileUser>,
  failures: FailureLimit,
): BasicUsers {
  const key = randomBytes(32);
  const unknown = nobody();
  const logins = new Map<string, CachedLogin>();
  let underWay = 0;

  const macOf = (password: string): Buffer => createHmac('sha256', key).update(password).digest();

  const check = async (name: string, password: string): Promise<Identity> => {
    if (underWay >= MAX_AT_ONCE) throw busy();
    underWay += 1;
    try {
      const user = users().get(name);
      const isRight = await (user?.hash ?? unknown).matches(password);
      if (user === undefined || !isRight) throw unauthorized('wrong name or password');
      const identity: Identity = {
        subject: user.subject,
        expiresAt: Infinity,
        issuedAt: Infinity,
        auditIds: [],
        accessRules: null,
        keystone: null,
      };
      logins.set(name, { mac: macOf(password), user, identity });
      return identity;
    } finally {
      underWay -= 1;
    }
  };

  return {
    identify: (name, password, address) => {
      const cached = logins.get(name);
      const isCurrent = cached !== undefined && users().get(name) === cached.user;
      if (isCurrent && timingSafeEqual(cached.mac, macOf(password))) return cached.identity;
      return failures.guard(`basic ${address} ${name}`, () => check(name, password));
    },
  };
}

function nobody(): PasswordHash {
  const hash = passwordHash(NOBODY);
  if (hash === undefined) throw new Error('the dummy password hash is malformed');
  return hash;
}

const busy = (): AppError =>
  new AppError('too_many_requests', 429, 'Too many logins at once; try again shortly.', {
    headers: { 'Retry-After': '1' },
  });
