import { readFileSync } from 'node:fs';
import { type RequestListener } from 'node:http';
import { type SwitchValues, tablesOf } from '@tenure/policy';
import { type Logger } from '@tenure/process';
import { createIssuerTokens, openIssuers } from '@tenure/tokens';
import { type ConsoleConfig } from '../config-console.js';
import { type DecisionPoint } from '../decision-point.js';
import { type PolicyKeeper } from '../policy-keeper.js';
import { type AuditDesk } from '../ports/audit-desk.js';
import { type ConsoleStatus } from '../ports/console-status.js';
import { createAdmission } from './admission.js';
import { createConsole } from './console.js';
import { createFailedLogins } from './failed-logins.js';
import { PATH } from './page.js';
import { createSessions } from './sessions.js';

export interface OpenConsoleOptions {
  readonly config: ConsoleConfig;
  readonly point: DecisionPoint;
  readonly desk: AuditDesk;
  readonly status: ConsoleStatus;
  readonly logger: Logger;
}

const JWKS_REFRESH_MS = 60_000;
const JWKS_COOLDOWN_MS = 5000;

const asset = (name: string): string =>
  readFileSync(new URL(`../../console/${name}`, import.meta.url), 'utf8');

/** What the keeper itself knows: the policy in service, and neither what came before nor what is tried beside it. */
export const statusOfKeeper =
  (keeper: Pick<PolicyKeeper, 'current'>, overlays: readonly string[]): ConsoleStatus =>
  () => {
    const { revision, since, data } = keeper.current();
    return {
      revision,
      since: since.toISOString(),
      overlays,
      switches: tablesOf(data).switches,
      faults: [],
      history: undefined,
      shadow: undefined,
    };
  };

/** Switches that are set, without those that are left to the bundle. */
export const setSwitches = (switches: SwitchValues): SwitchValues =>
  Object.fromEntries(Object.entries(switches).filter(([, value]) => value !== undefined));

/**
 * The pages of the audit console, for the admin listener.
 * @throws Error when a key or a file of issuers cannot be read
 */
export const openConsole = (
  options: OpenConsoleOptions,
): { readonly path: string; readonly serve: RequestListener; readonly stop: () => void } => {
  const { config, point, desk, status, logger } = options;
  const issuers = openIssuers(
    { ...config, jwksRefreshMs: JWKS_REFRESH_MS, jwksCooldownMs: JWKS_COOLDOWN_MS },
    logger,
  );
  const now = (): number => Date.now();
  const serve = createConsole({
    desk,
    status,
    now,
    admission: createAdmission({
      tokens: createIssuerTokens(issuers.issuers),
      point,
      sessions: createSessions(now),
      failures: createFailedLogins(() => performance.now()),
      now,
    }),
    isSecure: config.consoleUrl?.startsWith('https:') === true,
    assets: { style: asset('console.css'), script: asset('console.js') },
    logger,
  });
  return { path: PATH, serve, stop: issuers.stop };
};
