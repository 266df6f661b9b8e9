import { Type } from '@sinclair/typebox';
import {
  KEYSTONE_VARIABLES,
  keystoneProblems,
  trustedProxiesVariable,
  trustedProxyProblems,
} from '@tenure/http';
import { type ConfigOf, type Environment, type Variables } from '@tenure/process';
import { REDIS_VARIABLES, revocationFile } from '@tenure/shared-state';

const Text = Type.String({ minLength: 1 });
const File = { schema: Text, fallback: '' } as const;
const PerSecond = Type.Integer({ minimum: 1, maximum: 1_000_000 });
const dataDirOf = (env: Environment): string => env['TENURE_DATA_DIR'] ?? '.data';

/** Variables of authentication, besides the issuers of `config.ts`. */
export const AUTHENTICATION_VARIABLES = {
  ...KEYSTONE_VARIABLES,
  keystoneJwsKeysDir: {
    env: 'KEYSTONE_JWS_KEYS_DIR',
    ...File,
    about: "directory of Keystone's public keys (*.pem): forged JWS tokens then never reach it",
  },
  keystonePublicUrl: {
    env: 'KEYSTONE_WWW_AUTHENTICATE_URI',
    schema: Type.String({
      pattern: '^https?://[^"\\s]+$',
      description: 'an http or https URL',
    }),
    fallback: '',
    about: 'where clients find Keystone, for WWW-Authenticate; default KEYSTONE_URL',
  },
  serviceTokenRoles: {
    env: 'KEYSTONE_SERVICE_TOKEN_ROLES',
    schema: Type.Array(Text),
    fallback: ['service'],
    about: 'roles that make an X-Service-Token one of a service, comma-separated',
  },
  keystoneDeadlineMs: {
    env: 'GATEWAY_KEYSTONE_DEADLINE_MS',
    schema: Type.Integer({ minimum: 1, maximum: 4500 }),
    fallback: 2000,
    about: 'milliseconds for one call to Keystone',
  },
  authenticationDeadlineMs: {
    env: 'GATEWAY_AUTHENTICATION_DEADLINE_MS',
    schema: Type.Integer({ minimum: 1, maximum: 4900 }),
    fallback: 4500,
    about: 'milliseconds for authentication; 503 after that',
  },
  tokenCacheSeconds: {
    env: 'TOKEN_CACHE_SECONDS',
    schema: Type.Integer({ minimum: 0, maximum: 3600 }),
    fallback: 300,
    about:
      'seconds for which a token validated by Keystone is cached; changed roles take effect after that',
  },
  revocationSeconds: {
    env: 'REVOCATION_SECONDS',
    schema: Type.Integer({ minimum: 1, maximum: 3600 }),
    fallback: 5,
    about: 'seconds after which a revoked token is refused everywhere',
  },
  ...REDIS_VARIABLES,
  revocationFile: {
    env: 'TENURE_REVOCATION_FILE',
    schema: Text,
    derive: (env: Environment) => revocationFile(dataDirOf(env)),
    about: 'list of revoked tokens where there is no Redis',
  },
  trustedProxies: trustedProxiesVariable(
    'GATEWAY_TRUSTED_PROXIES',
    'the client address of a request, for rate limits and audit lines',
  ),
  newTokensPerAddress: {
    env: 'GATEWAY_NEW_TOKENS_PER_ADDRESS',
    schema: PerSecond,
    fallback: 100,
    about: 'token look-ups at Keystone a second for one address',
  },
  newTokens: {
    env: 'GATEWAY_NEW_TOKENS',
    schema: PerSecond,
    fallback: 300,
    about: 'token look-ups at Keystone a second for all addresses together',
  },
  failedLogins: {
    env: 'GATEWAY_FAILED_LOGINS_PER_MINUTE',
    schema: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    fallback: 10,
    about: 'wrong passwords a minute for one user name from one address; 429 after that',
  },
  failedTokens: {
    env: 'GATEWAY_FAILED_TOKENS_PER_MINUTE',
    schema: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    fallback: 600,
    about:
      'tokens a minute of one address that Keystone refused; after that uncached ones get a 429',
  },
  basicAuthFile: {
    env: 'BASIC_AUTH_FILE',
    ...File,
    about: 'users for Basic authentication, a line of user:hash each (bcrypt or scrypt)',
  },
  basicAuthScopesFile: {
    env: 'BASIC_AUTH_SCOPES_FILE',
    ...File,
    about: 'JSON file with roles and project or system scope of each of these users',
  },
} as const satisfies Variables;

type AuthenticationConfig = ConfigOf<typeof AUTHENTICATION_VARIABLES>;

/** Problems with the combination of these variables. */
export const authenticationProblems = (config: AuthenticationConfig): readonly string[] => [
  ...((config.basicAuthFile === '') === (config.basicAuthScopesFile === '')
    ? []
    : ['BASIC_AUTH_FILE and BASIC_AUTH_SCOPES_FILE belong together']),
  ...keystoneProblems(config),
  ...trustedProxyProblems(AUTHENTICATION_VARIABLES.trustedProxies.env, config.trustedProxies),
];
