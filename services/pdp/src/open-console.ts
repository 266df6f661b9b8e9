import { switchesOf } from '@tenure/policy';
import { type AdminPages, type ConfigOf, type Logger } from '@tenure/process';
import { createAuditQueries } from './adapters/audit-queries-threads.js';
import { type PolicyActivator } from './application/activation/activator.js';
import { type PolicyReplicas } from './application/activation/replicas.js';
import { type PolicyShadow } from './application/activation/shadow.js';
import { type DecisionPoint } from './application/decision-point.js';
import { type pdpVariables } from './config.js';
import { consoleStatusOf, openConsole, setSwitches } from './console/open.js';
import { materialIn } from './open-policy.js';
import { type OpenShared } from './open-shared.js';

// The one file through which the decision point reaches its audit console.

export { checkConsole } from './console/config.js';

/** The parts of the decision point that the audit console reads. */
export interface Audited {
  readonly point: DecisionPoint;
  readonly activator: PolicyActivator;
  readonly shadow: PolicyShadow | undefined;
  /** Undefined where this is the only replica, as is `shared`. */
  readonly replicas: PolicyReplicas | undefined;
  readonly shared: OpenShared | undefined;
}

/**
 * The pages of the audit console. Its queries run in other threads.
 * @throws Error when a key or a file of issuers cannot be read
 */
export const openAuditConsole = (
  config: ConfigOf<typeof pdpVariables>,
  { point, activator, shadow, replicas, shared }: Audited,
  logger: Logger,
): AdminPages & { readonly stop: () => void } =>
  openConsole({
    config,
    point,
    auditQueries: createAuditQueries({
      dir: config.decisionLog.includes('files') ? config.decisionLogDir : undefined,
      policy: () => ({
        material: materialIn(activator.active()),
        revision: activator.current().revision,
        switches: setSwitches(switchesOf(config)),
        maximumPages: config.memoryPages,
      }),
    }),
    status: consoleStatusOf(activator, shadow, () => replicas?.status()),
    shared,
    logger,
  });
