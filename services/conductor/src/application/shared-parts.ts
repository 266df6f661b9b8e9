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
import { type Membership } from './membership.js';
import { type NodeLocks } from './node-locks.js';
import { type Workers } from './workers.js';

/** Dependencies that the conductor's kinds of work share; each picks those that it needs. */
export interface SharedParts {
  readonly inventory: InventoryPort;
  readonly handovers: HandoverBook;
  readonly driverOf: DriverOf;
  readonly locks: NodeLocks;
  readonly membership: Membership;
  readonly workers: Workers;
  readonly logger: Logger;
  /** Aborted when the process stops. */
  readonly stopping: AbortSignal;
  readonly now: () => Date;
}

/** Further dependencies of provisioning. */
export interface ProvisioningPorts {
  readonly ports: NodePorts;
  readonly registry: NetworkRegistry;
  readonly lookup: NodeLookup;
  readonly templates: DeployTemplates;
  readonly agents: AgentClient;
  /** Whether an IP address lies in the networks of agents that the operator names: their machines boot without a token. */
  readonly isAgentNetwork: (address: string) => boolean;
  readonly media: BootMedia;
}
