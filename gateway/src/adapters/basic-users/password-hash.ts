import { scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { compare } from 'bcryptjs';

/** A password hash of the users file. */
export interface PasswordHash {
  readonly matches: (password: string) => Promise<boolean>;
}

const derive: (
  password: string,
  salt: Buffer,
  length: number,
  options: { readonly N: number; readonly r: number; readonly p: number; readonly maxmem: number },
) => Promise<Buffer> = promisify(scrypt);

const BCRYPT = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/u;
/** Maximum cost parameter. Each step doubles the work, and an attacker can cause as many checks as the limit of failures allows. */
const MAX_BCRYPT_COST = 13;
/** Maximum bytes of a password that bcrypt uses. */
const MAX_BCRYPT_BYTES = 72;

const SCRYPT =
  /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/u;
const MIN_HASH_BYTES = 16;
const MAX_MEMORY = 256 * 1024 * 1024;

/** A bcrypt (`$2y$…`, as `htpasswd -B` writes it) or scrypt (`$scrypt$ln=…$salt$hash`) hash; undefined when it is neither, or too costly. */
export const passwordHash = (text: string): PasswordHash | undefined =>
  bcryptHash(text) ?? scryptHash(text);

function bcryptHash(text: string): PasswordHash | undefined {
  const cost = BCRYPT.exec(text)?.[1];
  if (cost === undefined || Number(cost) > MAX_BCRYPT_COST) return undefined;
  return {
    matches: async (password) =>
      Buffer.byteLength(password) <= MAX_BCRYPT_BYTES && (await compare(password, text)),
  };
}

function scryptHash(text: string): PasswordHash | undefined {
  const [, ln, r, p, salt = '', hash = ''] = SCRYPT.exec(text) ?? [];
  if (ln === undefined) return undefined;
  const options = { N: 2 ** Number(ln), r: Number(r), p: Number(p), maxmem: MAX_MEMORY };
  const expected = Buffer.from(hash, 'base64');
  if (expected.length < MIN_HASH_BYTES || 128 * options.N * options.r * options.p > MAX_MEMORY / 2)
    return undefined;
  return {
    matches: async (password) =>
      timingSafeEqual(
        await derive(password, Buffer.from(salt, 'base64'), expected.length, options),
        expected,
      ),
  };
}
