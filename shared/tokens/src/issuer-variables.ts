import { Type } from '@sinclair/typebox';
import {
  DEV_TOKEN_ISSUER,
  devTokenKeyFile,
  type Environment,
  type Variables,
} from '@tenure/process';

const Text = Type.String({ minLength: 1 });

const OUTSIDE_ISSUER = ['JWKS_URL', 'TOKEN_ISSUER', 'TOKEN_AUDIENCE'] as const;
const isSet = (env: Environment, name: string): boolean => (env[name] ?? '') !== '';
const hasOutsideIssuer = (env: Environment): boolean =>
  OUTSIDE_ISSUER.some((name) => isSet(env, name));
/** Whether another way to authenticate callers is configured; then development tokens are off by default. */
const hasOtherCallers = (env: Environment): boolean =>
  hasOutsideIssuer(env) ||
  ['KEYSTONE_URL', 'TOKEN_ISSUERS_FILE', 'BASIC_AUTH_FILE'].some((name) => isSet(env, name));

/** The environment variables that configure the accepted issuers, for each part that verifies tokens. */
export const ISSUER_VARIABLES = {
  devKeyFile: {
    env: 'TENURE_DEV_KEY_FILE',
    schema: Text,
    derive: (env: Environment) => devTokenKeyFile(env['TENURE_DATA_DIR'] ?? '.data'),
    about: 'the local development key; default below TENURE_DATA_DIR',
  },
  devTokens: {
    env: 'TENURE_DEV_TOKENS',
    schema: Type.Boolean(),
    derive: (env: Environment) => !hasOtherCallers(env),
    about:
      'take development tokens; default true unless an issuer, Keystone or a users file is configured',
  },
  jwksUrls: {
    env: 'JWKS_URL',
    schema: Type.Array(Type.String({ pattern: '^https?://\\S+$' }), {
      description: 'http or https URLs, comma-separated',
    }),
    fallback: [],
    about: 'key sets of the outside issuer, comma-separated',
  },
  tokenIssuer: {
    env: 'TOKEN_ISSUER',
    schema: Text,
    fallback: '',
    about: 'issuer (iss) of outside tokens',
  },
  tokenAudience: {
    env: 'TOKEN_AUDIENCE',
    schema: Text,
    fallback: '',
    about: 'audience (aud) of outside tokens',
  },
  tokenIssuersFile: {
    env: 'TOKEN_ISSUERS_FILE',
    schema: Text,
    fallback: '',
    about: 'JSON file with OIDC issuers and how their claims map to users, projects and roles',
  },
} as const satisfies Variables;

/** Problems with the combination of these variables, a sentence each. */
export const issuerProblems = (tokenIssuer: string, env: Environment): readonly string[] => [
  ...(hasOutsideIssuer(env)
    ? OUTSIDE_ISSUER.filter((name) => !isSet(env, name)).map(
        (name) => `${name} is not set (${OUTSIDE_ISSUER.join(', ')} belong together)`,
      )
    : []),
  ...(tokenIssuer === DEV_TOKEN_ISSUER
    ? [`TOKEN_ISSUER must not be ${DEV_TOKEN_ISSUER}, the issuer of development tokens`]
    : []),
];
