import { hash } from 'node:crypto';
import { type UnverifiedJws } from '@tenure/jws';
import {
  type Identity,
  type IssuerTokens,
  type KeySource,
  keyThatSigned,
  parseJwt,
  unauthorized,
} from '@tenure/tokens';
import { type KeystoneTokens } from '../keystone/keystone-tokens.js';
import { looksLikeFernet, isKeystoneJws } from '../keystone/token-shape.js';
import { type RevocationList } from '../revocation/revocation-list.js';

interface TokenRequest {
  readonly token: string;
  readonly address: string;
  readonly allowExpired: boolean;
}

/** Verifies every accepted kind of token, and checks revocations. */
export interface TokenAuthority {
  /** @throws UnauthorizedError, AppError 429 or UnavailableError */
  readonly identify: (request: TokenRequest) => Identity | Promise<Identity>;
}

export interface TokenAuthorityOptions {
  readonly issuers: IssuerTokens;
  /** Undefined where there is no Keystone. */
  readonly keystone: KeystoneTokens | undefined;
  /** Keystone's public keys; undefined where only Keystone itself can check its JWS tokens. */
  readonly jwsKeys: KeySource | undefined;
  readonly revocations: RevocationList;
}

export function createTokenAuthority(options: TokenAuthorityOptions): TokenAuthority {
  const { issuers, keystone, jwsKeys, revocations } = options;

  const notRevoked = (identity: Identity, tokenSha256: string): Identity => {
    if (revocations.isRevoked({ identity, tokenSha256 }))
      throw unauthorized('the token is revoked');
    return identity;
  };

  /** A forged or expired token never reaches Keystone. */
  const checkJws = async ({ allowExpired }: TokenRequest, jwt: UnverifiedJws): Promise<void> => {
    if (!allowExpired && expiryOf(jwt) * 1000 <= Date.now())
      throw unauthorized('the token has expired');
    if (jwsKeys !== undefined) await keyThatSigned(jwt, jwsKeys);
  };

  const verify = async (request: TokenRequest, digest: string): Promise<Identity> => {
    const { token } = request;
    if (!token.includes('.')) {
      if (keystone === undefined || !looksLikeFernet(token))
        throw unauthorized('not a token of an accepted kind');
      return keystone.verify({ ...request, digest, precheck: () => Promise.resolve() });
    }
    const jwt = parseJwt(token);
    if (keystone === undefined || !isKeystoneJws(jwt)) return issuers.verify(jwt, digest);
    return keystone.verify({ ...request, digest, precheck: () => checkJws(request, jwt) });
  };

  return {
    identify: (request) => {
      const digest = hash('sha256', request.token, 'base64url');
      const cached = issuers.recall(digest) ?? keystone?.recall(digest, request.allowExpired);
      return cached === undefined
        ? verify(request, digest).then((identity) => notRevoked(identity, digest))
        : notRevoked(cached, digest);
    },
  };
}

const expiryOf = ({ payload }: UnverifiedJws): number =>
  typeof payload['exp'] === 'number' ? payload['exp'] : 0;
