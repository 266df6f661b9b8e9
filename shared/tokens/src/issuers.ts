import { Type } from '@sinclair/typebox';
import {
  ConfigError,
  type ConfigOf,
  DEV_TOKEN_AUDIENCE,
  DEV_TOKEN_ISSUER,
  loadOrCreateDevTokenKey,
  type Logger,
  readConfigFile,
} from '@tenure/process';
import { ClaimMapping, mappedIdentity } from './claim-mapping.js';
import { identityOf } from './claims.js';
import { type Issuer } from './issuer-tokens.js';
import { type ISSUER_VARIABLES } from './issuer-variables.js';
import { createJwksSource, type JwksSource } from './key-source-jwks.js';
import { fixedKeys } from './key-source.js';
import { verificationKey } from './verification-keys.js';

/** The accepted issuers, and a function that stops the refresh of their keys. */
export interface Issuers {
  readonly issuers: readonly Issuer[];
  readonly stop: () => void;
}

/** The configured issuers, and how often their keys are refreshed. */
export interface IssuerOptions extends ConfigOf<typeof ISSUER_VARIABLES> {
  readonly jwksRefreshMs: number;
  readonly jwksCooldownMs: number;
}

const JWKS_DEADLINE_MS = 2000;

const Text = Type.String({ minLength: 1, maxLength: 1024 });
/** `TOKEN_ISSUERS_FILE`: issuers whose tokens are not in Tenure's own form. */
const IssuersFile = Type.Object(
  {
    issuers: Type.Array(
      Type.Object(
        {
          issuer: Text,
          audience: Text,
          jwks_urls: Type.Array(Type.String({ pattern: '^https?://\\S+$' }), {
            minItems: 1,
            maxItems: 8,
          }),
          claims: ClaimMapping,
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 32 },
    ),
  },
  { additionalProperties: false },
);

const DEFAULT_DOMAIN = 'default';

/**
 * Opens the outside issuers, and the issuer of development tokens where those are accepted.
 * @throws Error when a key or a file cannot be read, or an issuer is configured twice
 */
export function openIssuers(config: IssuerOptions, logger: Logger): Issuers {
  const sources: JwksSource[] = [];
  const watch = (urls: readonly string[]): JwksSource => {
    const source = createJwksSource({
      urls,
      logger,
      refreshMs: config.jwksRefreshMs,
      cooldownMs: config.jwksCooldownMs,
      deadlineMs: JWKS_DEADLINE_MS,
    });
    sources.push(source);
    return source;
  };
  const issuers: Issuer[] = config.devTokens ? [devIssuer(config.devKeyFile)] : [];
  if (config.jwksUrls.length > 0)
    issuers.push({
      name: config.tokenIssuer,
      audience: config.tokenAudience,
      source: watch(config.jwksUrls),
      identityOf,
    });
  if (config.tokenIssuersFile !== '')
    for (const { issuer, audience, jwks_urls, claims } of readConfigFile(
      IssuersFile,
      'TOKEN_ISSUERS_FILE',
      config.tokenIssuersFile,
    ).issuers)
      issuers.push({
        name: issuer,
        audience,
        source: watch(jwks_urls),
        identityOf: mappedIdentity(claims),
      });
  checkDistinct(issuers);
  return {
    issuers,
    stop: () => {
      for (const source of sources) source.stop();
    },
  };
}

function devIssuer(file: string): Issuer {
  const key = verificationKey(loadOrCreateDevTokenKey(file));
  if (key === undefined) throw new Error('the development key is not a usable ES256 key');
  return {
    name: DEV_TOKEN_ISSUER,
    audience: DEV_TOKEN_AUDIENCE,
    source: fixedKeys([key]),
    identityOf: devIdentityOf,
  };
}

function checkDistinct(issuers: readonly Issuer[]): void {
  const names = issuers.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new ConfigError([`the issuer ${twice} is configured twice`]);
}

/** A project name without a domain belongs to the default domain. Only the operator can sign such tokens. */
const devIdentityOf: Issuer['identityOf'] = (claims, now) => {
  const identity = identityOf(claims, now);
  const { project_name: name, project_domain_id: domain = DEFAULT_DOMAIN } = identity.subject;
  return name === undefined
    ? identity
    : { ...identity, subject: { ...identity.subject, project_domain_id: domain } };
};
