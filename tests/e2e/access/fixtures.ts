import { randomUUID } from 'node:crypto';
import { availableNode } from '../../support/fleet.js';
import { LESSEE, OWNER } from './cast.js';
import { type Row } from './row.js';

type Resource = Readonly<Record<string, unknown>>;

/** Sections of an inventory document, filled as rows need resources. */
export interface Fleet {
  readonly nodes: Resource[];
  readonly ports: Resource[];
  readonly portgroups: Resource[];
  readonly chassis: Resource[];
  readonly volume_connectors: Resource[];
  readonly volume_targets: Resource[];
  readonly deploy_templates: Resource[];
  readonly allocations: Resource[];
}

let addresses = 0;

const wordOf = (uuid: string): string => uuid.replaceAll('-', '').slice(0, 16);

/** The resources of a row: fresh ids for every name that may appear in braces, and the resources themselves in `fleet`. */
export class Stage {
  readonly #fleet: Fleet;
  readonly #names = new Map<string, string>();
  readonly #node: Resource;

  constructor(fleet: Fleet, node: Resource = {}) {
    this.#fleet = fleet;
    this.#node = node;
  }

  /** The value of `{name}`; created at its first use, with the resources that it belongs to. */
  valueOf(name: string): string {
    const existing = this.#names.get(name);
    if (existing !== undefined) return existing;
    const made = this.#make(name);
    this.#names.set(name, made);
    return made;
  }

  /** The same text, list or object with everything in braces replaced. */
  filled<T>(template: T): T {
    return JSON.parse(
      JSON.stringify(template).replaceAll(/\{([a-z]+)\}/giu, (_, name: string) =>
        this.valueOf(name),
      ),
    ) as T; // only ids were put in
  }

  #make(name: string): string {
    switch (name) {
      case 'owner':
        return OWNER;
      case 'uuid':
        return randomUUID();
      case 'name':
        return `n-${wordOf(randomUUID())}`;
      case 'unique':
        return wordOf(randomUUID()).toUpperCase();
      case 'mac':
        return newAddress();
      case 'node':
        return this.#makeNode(this.filled(this.#node));
      case 'allocatedNode':
        return this.#makeAllocatedNode();
      case 'vif':
        return this.#makeVif();
      default:
        return this.#makeResource(name);
    }
  }

  #makeNode(fields: Resource): string {
    const node = availableNode(`n-${wordOf(randomUUID())}`, {
      owner: OWNER,
      lessee: LESSEE,
      ...fields,
    });
    this.#fleet.nodes.push(node);
    return node.uuid;
  }

  #makeAllocatedNode(): string {
    const allocation = randomUUID();
    const node = this.#makeNode({ allocation_uuid: allocation, instance_uuid: allocation });
    this.#fleet.allocations.push({
      uuid: allocation,
      owner: OWNER,
      state: 'active',
      node_uuid: node,
      resource_class: 'baremetal',
    });
    return node;
  }

  #makeVif(): string {
    const vif = randomUUID();
    this.#fleet.ports.push({
      uuid: randomUUID(),
      node_uuid: this.valueOf('node'),
      address: newAddress(),
      internal_info: { tenant_vif_port_id: vif },
    });
    return vif;
  }

  #makeResource(name: string): string {
    const uuid = randomUUID();
    const onNode = () => ({ uuid, node_uuid: this.valueOf('node') });
    switch (name) {
      case 'port':
        this.#fleet.ports.push({ ...onNode(), address: newAddress() });
        break;
      case 'portgroup':
        this.#fleet.portgroups.push({ ...onNode(), address: newAddress() });
        break;
      case 'connector':
        this.#fleet.volume_connectors.push({
          ...onNode(),
          type: 'iqn',
          connector_id: `iqn.2026-11.test:${uuid}`,
        });
        break;
      case 'target':
        this.#fleet.volume_targets.push({
          ...onNode(),
          volume_type: 'iscsi',
          boot_index: 0,
          volume_id: randomUUID(),
          properties: { target_portal: '192.0.2.7:3260', auth_password: 'swordfish' },
        });
        break;
      case 'chassis':
        this.#fleet.chassis.push({ uuid, description: 'row 1' });
        break;
      case 'template':
        this.#fleet.deploy_templates.push({
          uuid,
          name: `CUSTOM_${wordOf(uuid).toUpperCase()}`,
          steps: [{ interface: 'bios', step: 'factory_reset', args: {}, priority: 10 }],
        });
        break;
      case 'allocation':
        this.#fleet.allocations.push({
          uuid,
          name: `a-${wordOf(uuid)}`,
          owner: OWNER,
          state: 'error',
          resource_class: 'nothing-of-the-kind',
        });
        break;
      default:
        throw new Error(`nothing is called {${name}}`);
    }
    return uuid;
  }
}

/** A request that is ready to be sent. */
export interface Prepared {
  readonly line: string;
  readonly body?: unknown;
}

export const emptyFleet = (): Fleet => ({
  nodes: [],
  ports: [],
  portgroups: [],
  chassis: [],
  volume_connectors: [],
  volume_targets: [],
  deploy_templates: [],
  allocations: [],
});

/** A MAC address that nothing else has. */
export function newAddress(): string {
  addresses += 1;
  const tail = addresses.toString(16).padStart(8, '0').match(/../gu) ?? [];
  return ['02', randomUUID().slice(0, 2), ...tail].join(':');
}

/** The row's request, about resources of its own. */
export function prepare(fleet: Fleet, { line, body, node }: Row): Prepared {
  const stage = new Stage(fleet, node);
  return { line: stage.filled(line), ...(body !== undefined && { body: stage.filled(body) }) };
}
