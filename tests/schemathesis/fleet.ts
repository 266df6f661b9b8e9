import { randomBytes, randomUUID } from 'node:crypto';
import { availableNode, type FleetNode } from '../support/fleet.js';

type Resource = Readonly<Record<string, unknown>> & { readonly uuid: string };

/** A fleet of one owner, all of it lent to one lessee, of which nobody else may learn anything. */
export interface SeededFleet {
  readonly document: Readonly<Record<string, readonly Resource[]>>;
  /** Uuids by kind, for requests to name. */
  readonly ids: Readonly<Record<string, readonly string[]>>;
  /** Uuids, names and texts that are in the fleet and nowhere else, in lower case. */
  readonly secrets: readonly string[];
}

export interface Tenants {
  readonly owner: string;
  readonly lessee: string;
}

const PROVISION_STATES = ['available', 'active', 'manageable', 'manageable', 'enroll', 'available'];

/** Makes a fleet of which every id and name is new. */
export function seedFleet(tenants: Tenants): SeededFleet {
  const marker = `m${word()}`;
  const nodes = nodesOf(tenants, marker);
  const onNodes = nodes.map((node) => resourcesOn(node, marker));
  const document: SeededFleet['document'] = {
    nodes,
    ports: onNodes.flatMap(({ ports }) => ports),
    portgroups: onNodes.flatMap(({ portgroups }) => portgroups),
    volume_connectors: onNodes.flatMap((on) => on.volume_connectors),
    volume_targets: onNodes.flatMap((on) => on.volume_targets),
    allocations: allocationsOf(tenants, marker),
    chassis: several(2, () => ({ uuid: randomUUID(), description: `chassis-${marker}` })),
    deploy_templates: several(2, () => ({
      uuid: randomUUID(),
      name: `CUSTOM_${word().toUpperCase()}`,
      steps: [{ interface: 'bios', step: 'factory_reset', args: {}, priority: 10 }],
    })),
  };
  const resources = Object.values(document).flat();
  return {
    document,
    ids: Object.fromEntries(
      Object.entries(document).map(([kind, rows]) => [kind, rows.map(({ uuid }) => uuid)]),
    ),
    secrets: [marker, tenants.owner, tenants.lessee, ...resources.flatMap(namesOf)].map((text) =>
      text.toLowerCase(),
    ),
  };
}

const word = (): string => randomBytes(6).toString('hex');

const nodesOf = ({ owner, lessee }: Tenants, marker: string): readonly FleetNode[] =>
  PROVISION_STATES.map((provision_state, index) =>
    availableNode(`node-${marker}-${index}`, {
      owner,
      lessee,
      provision_state,
      description: `about-${marker}`,
      driver_info: { note: `driver-${marker}` },
      properties: { note: `property-${marker}` },
      extra: { note: `extra-${marker}` },
      traits: ['CUSTOM_GPU'],
      ...(provision_state === 'active' && { instance_uuid: randomUUID() }),
    }),
  );

function resourcesOn(node: FleetNode, marker: string) {
  const on = () => ({
    uuid: randomUUID(),
    node_uuid: node.uuid,
    extra: { note: `extra-${marker}` },
  });
  return {
    ports: several(6, () => ({ ...on(), address: mac() })),
    portgroups: several(8, () => ({ ...on(), address: mac(), name: `group-${word()}` })),
    volume_connectors: several(4, () => ({ ...on(), type: 'iqn', connector_id: `iqn.${word()}` })),
    volume_targets: several(4, (boot_index) => ({
      ...on(),
      volume_type: 'iscsi',
      boot_index,
      volume_id: randomUUID(),
      properties: { note: `target-${marker}` },
    })),
  };
}

const allocationsOf = ({ owner }: Tenants, marker: string): readonly Resource[] =>
  several(20, (index) => ({
    uuid: randomUUID(),
    name: `allocation-${marker}-${index}`,
    owner,
    state: 'error',
    resource_class: 'nothing-of-the-kind',
    last_error: `error-${marker}`,
  }));

const several = <T>(count: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** The names of a resource. */
const namesOf = ({ uuid, name, address }: Resource): readonly string[] =>
  [uuid, name, address].filter((text) => typeof text === 'string');

const mac = (): string =>
  `02:${randomBytes(5)
    .toString('hex')
    .replaceAll(/..(?!$)/gu, '$&:')}`;
