import { createPrivateKey, randomUUID } from 'node:crypto';
import { isTenancyId } from '@tenure/contracts';
import { signJws } from '@tenure/jws';
import {
  DEV_TOKEN_AUDIENCE,
  DEV_TOKEN_ISSUER,
  devTokenKeyFile,
  loadOrCreateDevTokenKey,
  secondsOf,
} from '@tenure/process';
import { type Printer } from '../terminal/printer.js';

export interface TokenOptions {
  readonly user?: string;
  readonly project?: string;
  readonly system?: 'all';
  readonly domain?: string;
  readonly unscoped?: boolean;
  readonly role: readonly string[];
  readonly projectName?: string;
  readonly projectDomain?: string;
  readonly ttl: string;
  readonly dataDir: string;
}

/** Prints a token signed by the development key, and nothing else. */
export function printToken(options: TokenOptions, stdout: Printer): void {
  const { user } = options;
  if (user === undefined) throw new Error('say whose token: --user U');
  assertIds(options);
  const scope = scopeOf(options);
  const jwk = loadOrCreateDevTokenKey(devTokenKeyFile(options.dataDir));
  const iat = Math.floor(Date.now() / 1000);
  const token = signJws(
    {
      roles: options.role,
      ...scope,
      iat,
      exp: iat + secondsOf(options.ttl),
      aud: DEV_TOKEN_AUDIENCE,
      iss: DEV_TOKEN_ISSUER,
      sub: user,
      jti: randomUUID(),
    },
    { alg: 'ES256', key: createPrivateKey({ key: jwk, format: 'jwk' }) },
    typeof jwk['kid'] === 'string' ? { kid: jwk['kid'] } : {},
  );
  stdout.line(token);
}

function assertIds({ user, project, domain }: TokenOptions): void {
  for (const [option, id] of Object.entries({ user, project, domain }))
    if (id !== undefined && !isTenancyId(id))
      throw new Error(
        `--${option}: an id has 1 to 255 characters, no blanks at its ends, and neither control nor invisible characters`,
      );
}

function scopeOf(options: TokenOptions): Readonly<Record<string, string>> {
  if (options.project !== undefined) return { project_id: options.project, ...nameOf(options) };
  if (options.system !== undefined) return { system_scope: options.system };
  if (options.domain !== undefined) return { domain_id: options.domain };
  if (options.unscoped === true) return {};
  throw new Error('say the scope: --project P, --system all, --domain D or --unscoped');
}

const nameOf = ({
  projectName,
  projectDomain,
}: TokenOptions): Readonly<Record<string, string>> => ({
  ...(projectName !== undefined && { project_name: projectName }),
  ...(projectDomain !== undefined && { project_domain_id: projectDomain }),
});
