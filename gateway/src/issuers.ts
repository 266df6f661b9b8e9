import {
  DEV_TOKEN_AUDIENCE,
  DEV_TOKEN_ISSUER,
  loadOrCreateDevTokenKey,
  type Logger,
} from '@tenure/process';
import { type GatewayConfig } from './config.js';
import { identityOf } from './tokens/claims.js';
import { type Issuer } from './tokens/issuer-tokens.js';
import { createJwksSource } from './tokens/key-source-jwks.js';
import { fixedKeys } from './tokens/key-source.js';
import { verificationKey } from './tokens/verification-keys.js';

/** The issuers whose tokens are taken, and how to stop watching their keys. */
export interface Issuers {
  readonly issuers: readonly Issuer[];
  readonly stop: () => void;
}

const JWKS_DEADLINE_MS = 2000;

const devIssuer = (file: string): Issuer => {
  const key = verificationKey(loadOrCreateDevTokenKey(file));
  if (key === undefined) throw new Error('the development key is not a usable ES256 key');
  return {
    name: DEV_TOKEN_ISSUER,
    audience: DEV_TOKEN_AUDIENCE,
    source: fixedKeys([key]),
    identityOf,
  };
};

/**
 * The local development key, unless an outside issuer takes its place, and the outside issuer.
 * @throws Error when the development key cannot be read or made
 */
export const openIssuers = (config: GatewayConfig, logger: Logger): Issuers => {
  const issuers: Issuer[] = config.devTokens ? [devIssuer(config.devKeyFile)] : [];
  if (config.jwksUrls.length === 0) return { issuers, stop: () => undefined };
  const source = createJwksSource({
    urls: config.jwksUrls,
    logger,
    refreshMs: config.jwksRefreshMs,
    cooldownMs: config.jwksCooldownMs,
    deadlineMs: JWKS_DEADLINE_MS,
  });
  issuers.push({ name: config.tokenIssuer, audience: config.tokenAudience, source, identityOf });
  return { issuers, stop: source.stop };
};
