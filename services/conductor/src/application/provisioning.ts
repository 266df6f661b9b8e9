import { type Logger } from '@tenure/process';
import { type AgentClient } from '../ports/agent-client.js';
import { type BootMedia } from '../ports/boot-media.js';
import { type DeployTemplates } from '../ports/deploy-templates.js';
import { type HandoverBook } from '../ports/handover-book.js';
import { type DriverOf } from '../ports/hardware-driver.js';
import { type InventoryPort } from '../ports/inventory-port.js';
import { type NetworkRegistry } from '../ports/network-registry.js';
import { type NodeLookup } from '../ports/node-lookup.js';
import { type NodePorts } from '../ports/node-ports.js';
import { type AgentWork, createAgentWork } from './agent-work.js';
import { type Clear, createClearing } from './handover-clearing.js';
import { createIntrospectionWork, type IntrospectionWork } from './introspection-work.js';
import { type Membership } from './membership.js';
import { type NodeLocks } from './node-locks.js';
import { createOverdueWatch, type OverdueWatch, type WaitLimits } from './overdue-watch.js';
import { type ProvisionExecutionOptions } from './provision-execution.js';
import { createProvisionWork, type ProvisionWork } from './provision-work.js';
import { createVifWork, type VifWork } from './vif-work.js';
import { type Workers } from './workers.js';

/** What provisioning needs beside the nodes themselves. */
export interface ProvisioningPorts {
  readonly ports: NodePorts;
  readonly registry: NetworkRegistry;
  readonly lookup: NodeLookup;
  readonly templates: DeployTemplates;
  readonly agents: AgentClient;
  /** Whether an IP address lies in the networks of agents that the operator names. */
  readonly isAgentNetwork: (address: string) => boolean;
  readonly media: BootMedia;
}

export interface ProvisioningOptions {
  readonly inventory: InventoryPort;
  readonly locks: NodeLocks;
  readonly membership: Membership;
  readonly workers: Workers;
  readonly driverOf: DriverOf;
  readonly logger: Logger;
  readonly stopping: AbortSignal;
  readonly now: () => Date;
  readonly observe: ProvisionExecutionOptions['observe'];
  readonly refreshDocuments: ProvisionExecutionOptions['refreshDocuments'];
  readonly provisioningPorts: ProvisioningPorts;
  readonly handovers: HandoverBook;
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

export const createProvisioning = (options: ProvisioningOptions): ProvisioningParts => {
  const { inventory, locks, membership, logger, now, provisioningPorts, waitLimits } = options;
  const { ports, registry, lookup, templates, agents, isAgentNetwork, media } = provisioningPorts;
  const vifs = createVifWork({ inventory, ports, registry, locks });
  const { driverOf, refreshDocuments } = options;
  const clear = createClearing({ driverOf, detachAll: vifs.detachAll, refreshDocuments, now });
  const provision = createProvisionWork({
    ...options,
    templates,
    agents,
    media,
    ports,
    clear,
    limits: { orderMs: waitLimits.orderMs },
  });
  return {
    clear,
    provision,
    vifs,
    agents: createAgentWork({
      inventory,
      nodes: lookup,
      locks,
      provision,
      agents,
      isAgentNetwork,
      now,
    }),
    introspection: createIntrospectionWork({ inventory, locks, provision, now }),
    overdue: createOverdueWatch({
      inventory,
      handovers: options.handovers,
      locks,
      membership,
      logger,
      now,
      limits: waitLimits,
    }),
  };
};
