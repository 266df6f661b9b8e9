import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { AppError } from '@tenure/contracts';
import { type Identity, unauthorized } from '@tenure/tokens';
import { type FailureLimit } from '../../application/authentication/failure-limit.js';
import { type BasicUsers } from '../../ports/basic-users.js';
import { type PasswordHash, passwordHash } from './password-hash.js';
import { type FileUser } from './users-file.js';

/** Checks that may be under way: each takes a tenth of a second of a processor. */
const MAX_AT_ONCE = 4;

/** Hash of a password that nobody knows: who guesses names must not hear by the clock which there are. */
const NOBODY = '$2b$10$IMD5Eib1sfBVL0.JKFrODeZEWv2JPm87S9CjGtwD46YZT74WB4KUO';

/** Someone whose password was right: as the file then had the user. */
interface Known {
  readonly mac: Buffer;
  readonly user: FileUser;
  readonly identity: Identity;
}

/**
 * Users of a file. A password that was right once is known again at once, and then no failures of others matter.
 * @param users as the file has them now
 */
export function createFileUsers(
  users: () => ReadonlyMap<string, FileUser>,
  failures: FailureLimit,
): BasicUsers {
  const key = randomBytes(32);
  const unknown = nobody();
  const right = new Map<string, Known>();
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
      right.set(name, { mac: macOf(password), user, identity });
      return identity;
    } finally {
      underWay -= 1;
    }
  };

  return {
    identify: (name, password, address) => {
      const known = right.get(name);
      const isCurrent = known !== undefined && users().get(name) === known.user;
      if (isCurrent && timingSafeEqual(known.mac, macOf(password))) return known.identity;
      return failures.guard(`basic ${address} ${name}`, () => check(name, password));
    },
  };
}

function nobody(): PasswordHash {
  const hash = passwordHash(NOBODY);
  if (hash === undefined) throw new Error('the hash of nobody is malformed');
  return hash;
}

const busy = (): AppError =>
  new AppError('too_many_requests', 429, 'Too many logins at once; try again shortly.', {
    headers: { 'Retry-After': '1' },
  });
