import { readFileSync } from 'node:fs';
import { type RequestListener } from 'node:http';
import { createClientAddresses } from '@tenure/http';
import { memberOf, type SwitchValues, tablesOf } from '@tenure/policy';
import { type Logger } from '@tenure/process';
import { type FailureCounter } from '@tenure/shared-state';
import { createIssuerTokens, openIssuers } from '@tenure/tokens';
import { type PolicyActivator } from '../application/activation/activator.js';
import { type ReplicasStatus } from '../application/activation/replicas.js';
import { type PolicyShadow } from '../application/activation/shadow.js';
import { type DecisionPoint } from '../application/decision-point.js';
import { type HistoryEntry } from '../domain/stored-state.js';
import { type AuditQueries } from '../ports/audit-queries.js';
import { type ConsoleStatus, type PolicyStatus } from '../ports/console-status.js';
import { type Sessions } from '../ports/sessions.js';
import { createAdmission } from './admission.js';
import { type ConsoleConfig } from './config.js';
import { createConsole } from './console.js';
import { createFailedLogins } from './failed-logins.js';
import { PATH } from './page.js';
import { createSessions } from './sessions.js';

export interface OpenConsoleOptions {
  readonly config: ConsoleConfig;
  readonly point: DecisionPoint;
  readonly auditQueries: AuditQueries;
  readonly status: ConsoleStatus;
  /** State that replicas share; undefined where this is the only one. */
  readonly shared: { readonly sessions: Sessions; readonly failures: FailureCounter } | undefined;
  readonly logger: Logger;
}

const JWKS_REFRESH_MS = 60_000;
const JWKS_COOLDOWN_MS = 5000;

/** The status of the policy, from the activator, the shadow and the other replicas. */
export const consoleStatusOf =
  (
    activator: Pick<PolicyActivator, 'active' | 'stored' | 'trouble'>,
    shadow: Pick<PolicyShadow, 'status' | 'samples'> | undefined,
    replicas: () => ReplicasStatus | undefined,
  ): ConsoleStatus =>
  () => {
    const others = replicas();
    const { policy, verified, since } = activator.active();
    const { history } = activator.stored();
    const trouble = activator.trouble();
    const why = shadow?.status().reason;
    return {
      revision: policy.revision,
      since: since.toISOString(),
      overlays: verified.parts.overlays.map(({ file }) => file),
      switches: tablesOf(verified.data).switches,
      faults: [
        ...(trouble === undefined
          ? []
          : [`The newest policy is not in service: ${trouble.reason}`]),
        ...(why === undefined ? [] : [`The shadow is not evaluated: ${why}`]),
        ...faultsOfReplicas(others),
      ],
      history: history.map((entry) => ({
        revision: entry.revision ?? '',
        at: entry.at,
        event: eventOf(entry),
        diff: entry.changes?.join('\n'),
      })),
      replicas: others?.replicas.map(({ id: _id, at: _at, ...report }) => report),
      shadow: shadow === undefined ? undefined : shadowOf(shadow),
    };
  };

/** Switches that are set, without those that are left to the bundle. */
export const setSwitches = (switches: SwitchValues): SwitchValues =>
  Object.fromEntries(Object.entries(switches).filter(([, value]) => value !== undefined));

/**
 * The pages of the audit console, for the admin listener.
 * @throws Error when a key or a file of issuers cannot be read
 */
export function openConsole(options: OpenConsoleOptions): {
  readonly path: string;
  readonly serve: RequestListener;
  readonly stop: () => void;
} {
  const { config, point, auditQueries, status, shared, logger } = options;
  const issuers = openIssuers(
    { ...config, jwksRefreshMs: JWKS_REFRESH_MS, jwksCooldownMs: JWKS_COOLDOWN_MS },
    logger,
  );
  const now = (): number => Date.now();
  const serve = createConsole({
    auditQueries,
    status,
    now,
    admission: createAdmission({
      tokens: createIssuerTokens(issuers.issuers),
      point,
      sessions: shared?.sessions ?? createSessions(now),
      clientAddressOf: createClientAddresses(config.trustedProxies),
      failures: createFailedLogins(() => performance.now(), shared?.failures),
      now,
    }),
    isSecure: config.consoleUrl?.startsWith('https:') === true,
    assets: { style: asset('console.css'), script: asset('console.js') },
    logger,
  });
  return { path: PATH, serve, stop: issuers.stop };
}

function faultsOfReplicas(status: ReplicasStatus | undefined): readonly string[] {
  if (status === undefined) return [];
  const revisions = new Set(status.replicas.map(({ revision }) => revision));
  return [
    ...(status.isReachable ? [] : ['The other decision points cannot be reached.']),
    ...(revisions.size > 1 ? ['Not all decision points serve the same policy.'] : []),
  ];
}

const eventOf = ({ outcome, trigger, source, reason }: HistoryEntry): string =>
  outcome === 'activated'
    ? `in service (${trigger}, from ${source})`
    : `refused (${trigger}, from ${source}): ${reason ?? 'no reason was kept'}`;

function shadowOf(shadow: Pick<PolicyShadow, 'status' | 'samples'>): PolicyStatus['shadow'] {
  const { revision, evaluated, differences } = shadow.status();
  return revision === undefined
    ? undefined
    : {
        revision,
        evaluated,
        differences: Object.values(differences).reduce((sum, count) => sum + count, 0),
        samples: shadow.samples().map((sample) => ({
          decisionId: sample.decisionId,
          action: sample.action,
          live: memberOf(sample.answer, 'allow') === true,
          shadow: memberOf(sample.shadow, 'allow') === true,
        })),
      };
}

const asset = (name: string): string =>
  readFileSync(new URL(`../../console/${name}`, import.meta.url), 'utf8');
