import { Type } from '@sinclair/typebox';
import { trustedProxiesVariable, trustedProxyProblems } from '@tenure/http';
import { ConfigError, type ConfigOf, type Environment, type Variables } from '@tenure/process';
import { ISSUER_VARIABLES, issuerProblems } from '@tenure/tokens';

/** Variables of the audit console: whose tokens open it, and where it is. */
export const consoleVariables = {
  ...ISSUER_VARIABLES,
  devTokens: {
    ...ISSUER_VARIABLES.devTokens,
    // Without a data directory there is no development key to verify by, and none is made.
    derive: (env: Environment) =>
      (env['TENURE_DATA_DIR'] ?? '') !== '' && ISSUER_VARIABLES.devTokens.derive(env),
  },
  consoleUrl: {
    env: 'PDP_CONSOLE_URL',
    schema: Type.Unsafe<string | undefined>({ type: 'string', pattern: '^https?://' }),
    fallback: undefined,
    about: 'where browsers reach the audit console; with https its cookie is sent over https only',
  },
  trustedProxies: trustedProxiesVariable(
    'PDP_TRUSTED_PROXIES',
    'the client of the audit console, for the limit of failed logins and the decision log',
  ),
} as const satisfies Variables;

export type ConsoleConfig = ConfigOf<typeof consoleVariables>;

/** @throws ConfigError when an outside issuer is only partly given, or a trusted proxy is no address */
export function checkConsole(
  { tokenIssuer, trustedProxies }: ConsoleConfig,
  env: Environment,
): void {
  const problems = [
    ...issuerProblems(tokenIssuer, env),
    ...trustedProxyProblems(consoleVariables.trustedProxies.env, trustedProxies),
  ];
  if (problems.length > 0) throw new ConfigError(problems);
}
