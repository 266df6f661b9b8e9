import { createHash, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Logger, watchFiles } from '@tenure/process';

const SHORTEST = 16;
const BEARER = /^bearer +(\S+)$/i;

/** Whether an `Authorization` header has a valid client token. */
export type ClientCheck = (authorization: string | undefined) => boolean;

/**
 * The check for bearer tokens, one a line (several: that is how a token is rotated).
 * Digests are compared, all of them, in constant time.
 * @throws Error when there is no token, or one shorter than 16 characters
 */
export function createClientCheck(lines: string): ClientCheck {
  const tokens = lines
    .split(/\r?\n/u)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (tokens.length === 0) throw new Error('the client token file holds no token');
  if (tokens.some((token) => token.length < SHORTEST))
    throw new Error(`a client token is shorter than ${SHORTEST} characters`);
  const digests = tokens.map(digestOf);
  return (authorization) => {
    const presented = BEARER.exec(authorization ?? '')?.[1];
    if (presented === undefined) return false;
    const digest = digestOf(presented);
    let isValid = false;
    for (const each of digests) isValid = timingSafeEqual(each, digest) || isValid;
    return isValid;
  };
}

/**
 * The check for the tokens in a file, which is watched for changes.
 * @param what whose tokens they are, for the log
 * @throws Error when it cannot be read at first, and as `createClientCheck`
 */
export function watchClientTokens(file: string, what: string, logger: Logger): ClientCheck {
  const { current } = watchFiles({
    what,
    read: () => readFileSync(file, 'utf8'),
    make: createClientCheck,
    logger,
  });
  return (authorization) => current()(authorization);
}

/** On loopback nobody needs a token. */
export const anyClient: ClientCheck = () => true;

/** Whether only this machine can reach a listener on this host. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/u.test(host);

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();
