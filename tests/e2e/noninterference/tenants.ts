import { randomBytes, randomUUID } from 'node:crypto';
import { availableNode } from '../../support/fleet.js';
import { newProject } from '../../support/personas.js';

type Resource = Readonly<Record<string, unknown>>;

/** Eight hexadecimal digits, the first a letter, so that capitals are another text. */
const newWord = (): string => `f${randomBytes(4).toString('hex').slice(1)}`;
const withColons = (word: string): string => word.replaceAll(/(..)(?=.)/gu, '$1:');

/** In every id, name and value of B, and in nothing else. */
const MARK = newWord();
const OTHER_MARK = newWord();

const FORMS: readonly ((word: string) => string)[] = [
  (word) => word,
  (word) => word.toUpperCase(),
  withColons,
  (word) => withColons(word.toUpperCase()),
];

/** A tenant's resources: ids and values by their names in probes, and the inventory document that has them. */
export interface Tenant {
  readonly project: string;
  readonly lessee: string;
  readonly names: Readonly<Record<string, string>>;
  readonly document: Readonly<Record<string, readonly Resource[]>>;
}

type Ids = ReturnType<typeof ids>;

const nodeFields = (own: Ids, word: string): Resource => ({
  uuid: own.node,
  resource_class: own.class,
  chassis_uuid: own.chassis,
  shard: own.shard,
  description: own.description,
  traits: [own.trait],
  driver_info: { note: `driver-${word}` },
  driver_internal_info: { note: `internal-${word}` },
  properties: { note: `properties-${word}` },
  extra: { note: `extra-${word}` },
  instance_info: { note: `instance-${word}` },
});

const onNode = (own: Ids): Readonly<Record<string, readonly Resource[]>> => ({
  ports: [
    {
      uuid: own.port,
      name: own.portName,
      node_uuid: own.node,
      address: own.portAddress,
      internal_info: { tenant_vif_port_id: own.vif },
    },
  ],
  portgroups: [
    {
      uuid: own.portgroup,
      name: own.portgroupName,
      node_uuid: own.node,
      address: own.portgroupAddress,
    },
  ],
  volume_connectors: [
    { uuid: own.connector, node_uuid: own.node, type: 'iqn', connector_id: own.connectorId },
  ],
  volume_targets: [
    {
      uuid: own.target,
      node_uuid: own.node,
      volume_type: 'iscsi',
      boot_index: 0,
      volume_id: own.volume,
      properties: { note: own.description },
    },
  ],
});

const aboutNode = (own: Ids, project: string): Readonly<Record<string, readonly Resource[]>> => ({
  node_documents: [
    {
      uuid: `${own.node}:bios`,
      node_uuid: own.node,
      document: { settings: [{ name: own.setting, value: own.description }] },
    },
    {
      uuid: `${own.node}:firmware`,
      node_uuid: own.node,
      document: { components: [{ component: 'bios', current_version: own.description }] },
    },
    {
      uuid: `${own.node}:inventory`,
      node_uuid: own.node,
      document: { inventory: { note: own.description }, plugin_data: {} },
    },
  ],
  node_history: [
    {
      uuid: own.event,
      node_uuid: own.node,
      created_at: '2026-11-21T06:00:00+00:00',
      severity: 'ERROR',
      event: own.description,
    },
  ],
  claims: [
    { uuid: `vif:${own.vif}`, kind: 'vif', id: own.vif, project_id: project },
    { uuid: `volume:${own.volume}`, kind: 'volume', id: own.volume, project_id: project },
  ],
});

/** Over, so that nobody acts on it. */
const leaseOf = (own: Ids, owner: string, lessee: string): Resource => ({
  uuid: own.lease,
  node_uuid: own.node,
  owner,
  lessee,
  status: 'ended',
  start_time: '2026-01-01T00:00:00+00:00',
  end_time: '2026-02-01T00:00:00+00:00',
  purpose: own.description,
});

/** The caller, with a free node of its own, and the tenant that must stay invisible. */
export const A = tenantOf('tenant-a', newWord(), false);
export const B = tenantOf('tenant-b', MARK, true);

/** Whether a text has something of B in it. */
export const hasMark = (text: string): boolean =>
  FORMS.some((form) => text.toLowerCase().includes(form(MARK).toLowerCase()));

/** A value like one of B's, equally long, that belongs to no tenant. */
export const twinOf = (value: string): string =>
  FORMS.reduce((text, form) => text.replaceAll(form(MARK), form(OTHER_MARK)), value);

/**
 * Someone who owns one of everything.
 * @param busy whether the node is deployed, reserved by the tenant's allocation, leased, broken, locked and in a group without a conductor: none of it may show
 */
function tenantOf(label: string, word: string, busy: boolean): Tenant {
  const project = newProject(`${label}-${word}`);
  const lessee = newProject(`${label}-lessee-${word}`);
  const own = ids(word);
  const state = {
    lessee,
    conductor_group: own.group,
    provision_state: 'active',
    maintenance: true,
    maintenance_reason: own.description,
    last_error: own.description,
    reservation: own.holder,
    instance_uuid: own.allocation,
    allocation_uuid: own.allocation,
  };
  return {
    project,
    lessee,
    names: { ...own, project, lessee },
    document: {
      chassis: [{ uuid: own.chassis, description: own.description }],
      nodes: [
        availableNode(own.nodeName, {
          ...nodeFields(own, word),
          owner: project,
          ...(busy && state),
        }),
        availableNode(own.childName, { uuid: own.child, owner: project, parent_node: own.node }),
        availableNode(own.idleName, {
          uuid: own.idle,
          owner: project,
          resource_class: own.class,
          instance_info: { note: own.description },
        }),
      ],
      ...onNode(own),
      ...aboutNode(own, project),
      leases: [leaseOf(own, project, lessee)],
      allocations: [
        {
          uuid: own.allocation,
          name: own.allocationName,
          owner: project,
          resource_class: own.class,
          ...(busy
            ? { state: 'active', node_uuid: own.node }
            : { state: 'error', last_error: 'nothing free' }),
          extra: { note: own.description },
        },
      ],
    },
  };
}

function ids(word: string) {
  const uuid = (): string => `${word}${randomUUID().slice(8)}`;
  const macHead = withColons(word);
  return {
    node: uuid(),
    nodeName: `node-${word}`,
    child: uuid(),
    childName: `child-${word}`,
    idle: uuid(),
    idleName: `idle-${word}`,
    chassis: uuid(),
    port: uuid(),
    portName: `port-${word}`,
    portAddress: `${macHead}:00:01`,
    portgroup: uuid(),
    portgroupName: `portgroup-${word}`,
    portgroupAddress: `${macHead}:00:02`,
    connector: uuid(),
    connectorId: `iqn.2026-11.test:${word}`,
    target: uuid(),
    volume: uuid(),
    allocation: uuid(),
    allocationName: `allocation-${word}`,
    event: uuid(),
    lease: uuid(),
    vif: uuid(),
    trait: `CUSTOM_T${word.toUpperCase()}`,
    setting: `Setting${word}`,
    shard: `shard-${word}`,
    class: `class-${word}`,
    group: `group-${word}`,
    description: `text-${word}`,
    holder: `holder-${word}`,
  };
}
