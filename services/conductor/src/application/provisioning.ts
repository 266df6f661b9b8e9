import { type AgentWork, createAgentWork } from './agent-work.js';
import { type Clear, createClearing } from './handover-clearing.js';
import { createIntrospectionWork, type IntrospectionWork } from './introspection-work.js';
import { createOverdueWatch, type OverdueWatch, type WaitLimits } from './overdue-watch.js';
import { type ProvisionExecutionOptions } from './provision-execution.js';
import { createProvisionWork, type ProvisionWork } from './provision-work.js';
import { type ProvisioningPorts, type SharedParts } from './shared-parts.js';
import { createVifWork, type VifWork } from './vif-work.js';

export interface ProvisioningOptions
  extends
    SharedParts,
    ProvisioningPorts,
    Pick<ProvisionExecutionOptions, 'observe' | 'refreshDocuments'> {
  readonly waitLimits: WaitLimits;
}

/** The state machine and what belongs to it, wired together. */
export interface ProvisioningParts {
  /** Clears a machine between two tenancies. */
  readonly clear: Clear;
  readonly provision: ProvisionWork;
  readonly vifs: VifWork;
  readonly agents: AgentWork;
  readonly introspection: IntrospectionWork;
  readonly overdue: OverdueWatch;
}

export function createProvisioning(options: ProvisioningOptions): ProvisioningParts {
  const { waitLimits } = options;
  const vifs = createVifWork(options);
  const clear = createClearing({ ...options, detachAll: vifs.detachAll });
  const limits = { orderMs: waitLimits.orderMs };
  const provision = createProvisionWork({ ...options, clear, limits });
  return {
    clear,
    provision,
    vifs,
    agents: createAgentWork({ ...options, provision }),
    introspection: createIntrospectionWork({ ...options, provision }),
    overdue: createOverdueWatch({ ...options, limits: waitLimits }),
  };
}
