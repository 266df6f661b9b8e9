import { AppError, UnavailableError } from '@tenure/contracts';
import { type Identity, unauthorized } from '@tenure/tokens';
import { type Keystone } from '../../ports/keystone.js';
import { type CachedToken } from '../../ports/token-cache.js';
import { type FailureLimit } from '../authentication/failure-limit.js';
import { type LayeredCache } from '../token-cache/layered-cache.js';
import { type ColdLimits } from './cold-limits.js';

/** A token of a request, of a shape that Keystone's tokens have. */
interface KeystoneRequest {
  readonly token: string;
  /** SHA-256 of the token. */
  readonly digest: string;
  /** Where the request came from. */
  readonly address: string;
  /** A service vouches for the request, so the token may have expired meanwhile. */
  readonly allowExpired: boolean;
  /** @throws UnauthorizedError when the token is not worth a question */
  readonly precheck: () => Promise<void>;
}

/** Tokens that only Keystone can tell about. */
export interface KeystoneTokens {
  /** The identity of a token that Keystone knew a short while ago. */
  readonly recall: (digest: string, allowExpired: boolean) => Identity | undefined;
  /** @throws UnauthorizedError, AppError 429, or UnavailableError when Keystone cannot be asked and nothing is remembered */
  readonly verify: (request: KeystoneRequest) => Promise<Identity>;
}

/** Where what is known of a token was found. */
export type TokenLookup = 'here' | 'shared' | 'missed';

export interface KeystoneTokensOptions {
  readonly keystone: Keystone;
  readonly cache: LayeredCache;
  readonly limits: ColdLimits;
  /** Counts tokens that Keystone did not know, by address. */
  readonly failures: FailureLimit;
  /** Milliseconds that a good answer is believed. */
  readonly cacheMs: number;
  /** Milliseconds within which a revocation must count. */
  readonly revocationMs: number;
  /** Whether revocation events are known up to `revocationMs` ago. */
  readonly isListCurrent: () => boolean;
  /** Told of each look-up, for metrics. */
  readonly onLookup?: (found: TokenLookup) => void;
}

/** Milliseconds that a token which Keystone did not know stays refused without asking again. */
const UNKNOWN_MS = 5000;
/** Milliseconds that another clock may be ahead of ours. */
const SKEW_MS = 60_000;

/** How long an answer is kept. */
export const ttlOf =
  (cacheMs: number) =>
  (token: CachedToken): number =>
    token.validatedAt + (token.identity === null ? UNKNOWN_MS : cacheMs) - Date.now();

/** Asks Keystone about tokens, once for each token at a time, and remembers what it says. */
export function createKeystoneTokens(options: KeystoneTokensOptions): KeystoneTokens {
  const { keystone, cache, limits } = options;
  const inFlight = new Map<string, Promise<Identity>>();

  const isAlive = createAliveCheck(options);
  const tell = options.onLookup ?? ((): void => undefined);

  /** A revocation since then might not be known here. */
  const isDoubtful = ({ validatedAt }: CachedToken): boolean =>
    Date.now() - validatedAt > options.revocationMs && !options.isListCurrent();

  const ask = async (
    { token, address, allowExpired }: KeystoneRequest,
    key: string,
  ): Promise<Identity> => {
    if (keystone.isDown()) throw downNow();
    // Before the answer: a revocation while it is under way may not be in it.
    const validatedAt = Date.now();
    const answer = await limits.run(address, () => keystone.validate(token, allowExpired));
    const fresh = { identity: checked(answer, allowExpired), validatedAt };
    await cache.put(key, fresh);
    return identityIn(fresh);
  };

  const remembered = async (
    key: string,
    isUsable: (token: CachedToken) => boolean,
  ): Promise<CachedToken | undefined> => {
    const here = cache.peek(key);
    const shared = await cache.find(key, isUsable);
    if (shared !== undefined && !isDoubtful(shared)) tell('shared');
    return shared ?? (here !== undefined && isUsable(here) ? here : undefined);
  };

  const resolve = async (request: KeystoneRequest, key: string): Promise<Identity> => {
    await request.precheck();
    const isUsable = (token: CachedToken): boolean => isAlive(token, request.allowExpired);
    const known = await remembered(key, isUsable);
    if (known !== undefined && !isDoubtful(known)) return identityIn(known);
    tell('missed');
    try {
      return await options.failures.guard(`token ${request.address}`, () => ask(request, key));
    } catch (error) {
      // Keystone cannot say, so what it said last counts, to its limit.
      if (known !== undefined && error instanceof AppError && error.status !== 401)
        return identityIn(known);
      throw error;
    }
  };

  return {
    recall: (digest, allowExpired) => {
      const known = cache.peek(cacheKey(digest, allowExpired));
      if (known === undefined || !isAlive(known, allowExpired) || isDoubtful(known))
        return undefined;
      tell('here');
      return identityIn(known);
    },
    verify: (request) => {
      const key = cacheKey(request.digest, request.allowExpired);
      const known = inFlight.get(key);
      if (known !== undefined) return known;
      const fresh = resolve(request, key).finally(() => inFlight.delete(key));
      inFlight.set(key, fresh);
      return fresh;
    },
  };
}

/** Whether what Keystone said of a token still counts. */
function createAliveCheck({ cacheMs, revocationMs }: KeystoneTokensOptions) {
  const remaining = ttlOf(cacheMs);

  /** Keystone takes an expired token for a while only, and how long it alone knows: what it said counts for a moment. */
  const mayHaveExpired = ({ validatedAt }: CachedToken, allowExpired: boolean): boolean =>
    allowExpired && Date.now() - validatedAt <= revocationMs;

  return (token: CachedToken, allowExpired: boolean): boolean =>
    token.validatedAt <= Date.now() + SKEW_MS &&
    remaining(token) > 0 &&
    (token.identity === null ||
      token.identity.expiresAt * 1000 > Date.now() ||
      mayHaveExpired(token, allowExpired));
}

const downNow = (): UnavailableError =>
  new UnavailableError('The Keystone service is temporarily unavailable.', {
    cause: 'Keystone failed a moment ago',
    headers: { 'Retry-After': '1' },
  });

function checked(identity: Identity | undefined, allowExpired: boolean): Identity | null {
  if (identity === undefined) return null;
  if (identity.issuedAt * 1000 > Date.now() + SKEW_MS)
    throw unauthorized('the token is from the future');
  if (!allowExpired && identity.expiresAt * 1000 <= Date.now())
    throw unauthorized('the token has expired');
  return identity;
}

function identityIn({ identity }: CachedToken): Identity {
  if (identity === null) throw unauthorized('Keystone does not know the token');
  return identity;
}

const cacheKey = (digest: string, allowExpired: boolean): string =>
  allowExpired ? `${digest}+expired` : digest;
