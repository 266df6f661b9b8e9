import { randomUUID } from 'node:crypto';
import { ConflictError, NotFoundError } from '@tenure/contracts';
import { addressesIn } from '@tenure/http';
import { type FakeInventory } from '@tenure/testing';
import { createAgentClient } from '../adapters/agent-http.js';
import { type ProvisioningPorts } from '../application/shared-parts.js';
import { type DeployTemplate } from '../domain/provision/deploy-templates.js';
import { type PortKind, type PortRecord } from '../domain/vifs.js';
import { type DeployTemplates } from '../ports/deploy-templates.js';
import { type NetworkRegistry } from '../ports/network-registry.js';
import { type NodeLookup } from '../ports/node-lookup.js';
import { type NodePorts } from '../ports/node-ports.js';
import { FakeBootMedia } from './fake-boot-media.js';

interface OwnedPort extends PortRecord {
  readonly kind: PortKind;
  readonly nodeUuid: string;
}

/** Resources of the nodes of a fake inventory: ports, portgroups, claims. */
export class FakeParts implements ProvisioningPorts {
  readonly claims = new Map<string, string>();
  /** Called before deploy templates are read. */
  beforeTemplates: () => void = () => undefined;
  deployTemplates: readonly DeployTemplate[] = [];
  /** Called before each write of a port. */
  beforeChange: () => void = () => undefined;
  readonly #ports = new Map<string, OwnedPort>();
  readonly #inventory: FakeInventory;

  constructor(inventory: FakeInventory) {
    this.#inventory = inventory;
  }

  put(kind: PortKind, nodeUuid: string, fields: Partial<PortRecord> = {}): PortRecord {
    const port: OwnedPort = {
      uuid: randomUUID(),
      address: null,
      portgroup_uuid: null,
      pxe_enabled: true,
      internal_info: {},
      ...fields,
      kind,
      nodeUuid,
    };
    this.#ports.set(port.uuid, port);
    return port;
  }

  port(uuid: string): PortRecord {
    const port = this.#ports.get(uuid);
    if (port === undefined) throw NotFoundError.of('Port', uuid);
    return port;
  }

  readonly isAgentNetwork = addressesIn(['127.0.0.0/8']);
  readonly media = new FakeBootMedia();

  readonly agents = createAgentClient({
    allowLoopback: true,
    isInNetworks: this.isAgentNetwork,
    tlsRequired: false,
    caDirectory: '/no/such/directory',
    limits: { connectMs: 2000, callMs: 10_000, waitMs: 10_000, maxAnswerBytes: 100_000 },
  });

  readonly ports: NodePorts = {
    list: (_context, nodeUuid, kind) =>
      Promise.resolve(
        [...this.#ports.values()].filter(
          (port) => port.kind === kind && port.nodeUuid === nodeUuid,
        ),
      ),
    change: async (_context, nodeUuid, { uuid }, { holder, fence, set, vif_project_id }) => {
      await Promise.resolve();
      this.beforeChange();
      const port = this.#ports.get(uuid);
      if (port?.nodeUuid !== nodeUuid) throw NotFoundError.of('Port', uuid);
      this.#assertLocked(nodeUuid, holder, fence);
      const info = set['internal_info'] as PortRecord['internal_info']; // the only member a conductor writes
      const vif = info['tenant_vif_port_id'];
      const others = [...this.#ports.values()].filter((other) => other.uuid !== uuid);
      if (
        vif !== undefined &&
        others.some(({ internal_info: theirs }) => theirs['tenant_vif_port_id'] === vif)
      )
        throw new ConflictError('duplicate', 'The VIF is attached to another port.');
      const former = port.internal_info['tenant_vif_port_id'];
      if (typeof former === 'string' && former !== vif) this.claims.delete(former);
      if (typeof vif === 'string' && typeof vif_project_id === 'string')
        this.claims.set(vif, vif_project_id);
      this.#ports.set(uuid, { ...port, internal_info: info });
    },
    create: async (_context, nodeUuid, { holder, fence, address, pxeEnabled }) => {
      await Promise.resolve();
      this.beforeChange();
      this.#assertLocked(nodeUuid, holder, fence);
      if ([...this.#ports.values()].some((port) => port.address === address))
        throw new ConflictError('duplicate', `A port with MAC address ${address} already exists.`);
      this.put('ports', nodeUuid, { address, pxe_enabled: pxeEnabled });
    },
  };

  #assertLocked(nodeUuid: string, holder: string, fence: number): void {
    const node = this.#inventory.node(nodeUuid);
    if (node.reservation !== holder || node.fence !== fence)
      throw new ConflictError('lock_lost', `The lock on node ${nodeUuid} is owned by another.`);
  }

  readonly registry: NetworkRegistry = {
    ownerOf: (_context, vif) => {
      const id = this.claims.get(vif);
      return Promise.resolve(id === undefined ? { kind: 'free' } : { kind: 'project', id });
    },
  };

  readonly templates: DeployTemplates = {
    find: async (_context, names) => {
      await Promise.resolve();
      this.beforeTemplates();
      return this.deployTemplates.filter(({ name }) => names.includes(name));
    },
  };

  readonly lookup: NodeLookup = {
    find: async (context, { nodeUuid, addresses }, states) => {
      const owners = [...this.#ports.values()]
        .filter(({ address }) => address !== null && addresses.includes(address))
        .map((port) => port.nodeUuid);
      const uuids = nodeUuid === undefined ? [...new Set(owners)] : [nodeUuid];
      const nodes = await Promise.all(
        uuids.map((uuid) => this.#inventory.getNode(context, uuid).catch(() => undefined)),
      );
      return nodes
        .filter((node) => node !== undefined)
        .filter((node) => states.includes(node.provision_state));
    },
  };
}
