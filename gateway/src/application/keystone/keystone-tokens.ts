import { AppError, UnavailableError } from '@tenure/contracts';
import { type Identity, unauthorized } from '@tenure/tokens';
import { type Keystone } from '../../ports/keystone.js';
import { type CachedToken } from '../../ports/token-cache.js';
import { type FailureLimit } from '../authentication/failure-limit.js';
import { type LayeredCache } from '../token-cache/layered-cache.js';
import { type LookupLimits } from './lookup-limits.js';

/** A token that has the form of a Keystone token. */
interface KeystoneRequest {
  readonly token: string;
  /** SHA-256 of the token. */
  readonly digest: string;
  /** Client address of the request, as rate limits count it. */
  readonly address: string;
  /** A service sent the request with a service token, so the user's token may have expired meanwhile. */
  readonly allowExpired: boolean;
  /** @throws UnauthorizedError when the token cannot be valid, so that Keystone is not called */
  readonly precheck: () => Promise<void>;
}

/** Tokens that only Keystone can validate. */
export interface KeystoneTokens {
  /** The cached identity of a token that Keystone validated recently. */
  readonly recall: (digest: string, allowExpired: boolean) => Identity | undefined;
  /** @throws UnauthorizedError, AppError 429, or UnavailableError when Keystone does not answer and nothing is cached */
  readonly verify: (request: KeystoneRequest) => Promise<Identity>;
}

/** The cache that had an answer for a token: of this process, shared, or none. */
export type TokenLookup = 'local' | 'shared' | 'missed';

export interface KeystoneTokensOptions {
  readonly keystone: Keystone;
  readonly cache: LayeredCache;
  readonly limits: LookupLimits;
  /** Counts tokens that Keystone refused, by address. */
  readonly failures: FailureLimit;
  /** Milliseconds for which a valid token stays cached. */
  readonly cacheMs: number;
  /** Maximum milliseconds until a revocation takes effect. */
  readonly revocationMs: number;
  /** Whether all revocation events older than `revocationMs` have been read. */
  readonly isListCurrent: () => boolean;
  /** Called for each look-up, for metrics. */
  readonly onLookup?: (found: TokenLookup) => void;
}

/** Milliseconds for which a token that Keystone refused stays refused without another look-up. */
const UNKNOWN_MS = 5000;
/** Milliseconds that another clock may be ahead of ours. */
const SKEW_MS = 60_000;

/** Remaining milliseconds for which an answer stays cached. */
export const ttlOf =
  (cacheMs: number) =>
  (token: CachedToken): number =>
    token.validatedAt + (token.identity === null ? UNKNOWN_MS : cacheMs) - Date.now();

/** Validates tokens with Keystone, with one look-up at a time for each token, and caches the answers. */
export function createKeystoneTokens(options: KeystoneTokensOptions): KeystoneTokens {
  const { keystone, cache, limits } = options;
  const inFlight = new Map<string, Promise<Identity>>();

  const isAlive = createAliveCheck(options);
  const report = options.onLookup ?? ((): void => undefined);

  /** A revocation since the validation may not have been read yet. */
  const mayBeRevoked = ({ validatedAt }: CachedToken): boolean =>
    Date.now() - validatedAt > options.revocationMs && !options.isListCurrent();

  const ask = async (
    { token, address, allowExpired }: KeystoneRequest,
    key: string,
  ): Promise<Identity> => {
    if (keystone.isDown()) throw keystoneDown();
    // Taken before the call: a revocation during the call may not be in the answer.
    const validatedAt = Date.now();
    const answer = await limits.run(address, () => keystone.validate(token, allowExpired));
    const fresh = { identity: checked(answer, allowExpired), validatedAt };
    await cache.put(key, fresh);
    return identityIn(fresh);
  };

  const findCached = async (
    key: string,
    isUsable: (token: CachedToken) => boolean,
  ): Promise<CachedToken | undefined> => {
    const local = cache.peek(key);
    const shared = await cache.find(key, isUsable);
    if (shared !== undefined && !mayBeRevoked(shared)) report('shared');
    return shared ?? (local !== undefined && isUsable(local) ? local : undefined);
  };

  const resolve = async (request: KeystoneRequest, key: string): Promise<Identity> => {
    await request.precheck();
    const isUsable = (token: CachedToken): boolean => isAlive(token, request.allowExpired);
    const cached = await findCached(key, isUsable);
    if (cached !== undefined && !mayBeRevoked(cached)) return identityIn(cached);
    report('missed');
    try {
      return await options.failures.guard(`token ${request.address}`, () => ask(request, key));
    } catch (error) {
      // Keystone does not answer, so its last answer counts until it expires.
      if (cached !== undefined && error instanceof AppError && error.status !== 401)
        return identityIn(cached);
      throw error;
    }
  };

  return {
    recall: (digest, allowExpired) => {
      const cached = cache.peek(cacheKey(digest, allowExpired));
      if (cached === undefined || !isAlive(cached, allowExpired) || mayBeRevoked(cached))
        return undefined;
      report('local');
      return identityIn(cached);
    },
    verify: (request) => {
      const key = cacheKey(request.digest, request.allowExpired);
      const pending = inFlight.get(key);
      if (pending !== undefined) return pending;
      const fresh = resolve(request, key).finally(() => inFlight.delete(key));
      inFlight.set(key, fresh);
      return fresh;
    },
  };
}

/** Checks whether a cached answer about a token is still valid. */
function createAliveCheck({ cacheMs, revocationMs }: KeystoneTokensOptions) {
  const remaining = ttlOf(cacheMs);

  /** Keystone accepts an expired token for a period that only Keystone knows, so its answer is cached only briefly. */
  const mayHaveExpired = ({ validatedAt }: CachedToken, allowExpired: boolean): boolean =>
    allowExpired && Date.now() - validatedAt <= revocationMs;

  return (token: CachedToken, allowExpired: boolean): boolean =>
    token.validatedAt <= Date.now() + SKEW_MS &&
    remaining(token) > 0 &&
    (token.identity === null ||
      token.identity.expiresAt * 1000 > Date.now() ||
      mayHaveExpired(token, allowExpired));
}

const keystoneDown = (): UnavailableError =>
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
