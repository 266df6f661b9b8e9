import { gets, patch, probe, type Probe } from './probe.js';

/** Show, update and delete of what has a collection of its own, and pages after it. */
const itemProbes = (collection: string, ...lists: readonly string[]): readonly Probe[] => [
  ...gets(
    `${collection}/{it}`,
    `${collection}/{it}?fields=uuid`,
    `${collection}/{it}?fields=colour`,
    `${collection}/{it}/colour`,
    ...[collection, ...lists].flatMap((list) => [
      `${list}?marker={it}`,
      `${list}?marker={it}&limit=1&sort_dir=desc`,
    ]),
  ),
  patch(`${collection}/{it}`, 'extra', {}),
  patch(`${collection}/{it}`, 'colour', 'red'),
  patch(`${collection}/{it}`, 'node_uuid', '{node}'),
  probe(`DELETE ${collection}/{it}`),
];

export const portProbes: readonly Probe[] = [
  ...itemProbes(
    '/v1/ports',
    '/v1/ports/detail',
    '/v1/nodes/{node}/ports',
    '/v1/nodes/{node}/ports/detail',
    '/v1/portgroups/{portgroup}/ports',
  ),
  probe('POST /v1/nodes/{node}/vifs', { id: '{event}', port_uuid: '{it}' }),
];

export const portgroupProbes: readonly Probe[] = [
  ...itemProbes('/v1/portgroups', '/v1/portgroups/detail', '/v1/nodes/{node}/portgroups'),
  ...gets(
    '/v1/portgroups/{it}/ports',
    '/v1/portgroups/{it}/ports/detail',
    '/v1/ports?portgroup={it}',
    '/v1/ports/detail?portgroup={it}',
    '/v1/ports?portgroup={it}&node={node}',
  ),
  patch('/v1/ports/{port}', 'portgroup_uuid', '{it}'),
  probe('POST /v1/ports', {
    node_uuid: '{node}',
    address: '02:00:00:00:00:02',
    portgroup_uuid: '{it}',
  }),
  probe('POST /v1/nodes/{node}/vifs', { id: '{event}', portgroup_uuid: '{it}' }),
];

export const addressProbes: readonly Probe[] = gets(
  '/v1/ports?address={it}',
  '/v1/ports/detail?address={it}',
  '/v1/portgroups?address={it}',
  '/v1/nodes/{node}/ports?address={it}',
  '/v1/nodes/{node}/portgroups?address={it}',
  '/v1/portgroups/{portgroup}/ports?address={it}',
);

export const connectorProbes: readonly Probe[] = itemProbes(
  '/v1/volume/connectors',
  '/v1/nodes/{node}/volume/connectors',
);

export const targetProbes: readonly Probe[] = itemProbes(
  '/v1/volume/targets',
  '/v1/nodes/{node}/volume/targets',
);

export const allocationProbes: readonly Probe[] = itemProbes('/v1/allocations');

export const leaseProbes: readonly Probe[] = itemProbes('/v1/leases');

/** Resources of the operator alone. */
export const chassisProbes: readonly Probe[] = [
  ...itemProbes('/v1/chassis', '/v1/chassis/detail'),
  ...gets(
    '/v1/chassis/{it}/nodes',
    '/v1/chassis/{it}/nodes/detail',
    '/v1/nodes?chassis_uuid={it}',
    '/v1/nodes/detail?chassis_uuid={it}',
  ),
  patch('/v1/nodes/{node}', 'chassis_uuid', '{it}'),
  probe('POST /v1/nodes', { driver: 'fake-hardware', chassis_uuid: '{it}' }),
];

/** Parts of A's own node that only B's has. */
export const partProbes: readonly Probe[] = [
  ...gets(
    '/v1/nodes/{node}/history/{it}',
    '/v1/nodes/{node}/history?marker={it}',
    '/v1/nodes/{node}/bios/{it}',
    '/v1/nodes/{node}/management/indicators/{it}',
  ),
  probe('DELETE /v1/nodes/{node}/traits/{it}'),
  probe('DELETE /v1/nodes/{node}/vifs/{it}'),
];

const NODE_LISTS = ['/v1/nodes', '/v1/nodes/detail'];

const NODE_FILTERS = [
  'owner',
  'lessee',
  'driver',
  'resource_class',
  'provision_state',
  'conductor',
  'conductor_group',
  'fault',
  'description_contains',
  'shard',
  'instance_name',
  'instance_uuid',
  'sort_key',
  'fields',
];

/** Query parameters that filter by a value. */
export const valueProbes: readonly Probe[] = [
  ...gets(
    ...NODE_LISTS.flatMap((list) => NODE_FILTERS.map((filter) => `${list}?${filter}={it}`)),
    '/v1/nodes?shard={shard},{it}',
    '/v1/nodes?owner={project}&lessee={it}',
    ...['ports', 'portgroups'].flatMap((kind) =>
      ['shard', 'conductor_groups', 'sort_key', 'fields'].map(
        (filter) => `/v1/${kind}?${filter}={it}`,
      ),
    ),
    ...['owner', 'resource_class', 'state', 'sort_key', 'fields', 'node'].map(
      (filter) => `/v1/allocations?${filter}={it}`,
    ),
    ...['owner', 'lessee', 'status', 'sort_key', 'fields', 'node'].map(
      (filter) => `/v1/leases?${filter}={it}`,
    ),
    '/v1/conductors/{it}',
    '/v1/deploy_templates/{it}',
    '/v1/drivers/{it}',
    '/v1/drivers/{it}/properties',
  ),
  probe('POST /v1/allocations', { resource_class: '{class}', owner: '{it}', name: '{nodeName}' }),
  probe('POST /v1/nodes', { driver: 'fake-hardware', owner: '{it}' }),
  patch('/v1/nodes/{node}', 'owner', '{it}'),
];

/** Requests of the ramdisk of a machine, with no token at all. */
export const agentProbes: readonly Probe[] = [
  ...gets('/v1/lookup?node_uuid={it}', '/v1/lookup?node_uuid={it}&addresses=02:00:00:00:00:03'),
  probe('POST /v1/heartbeat/{it}', { callback_url: 'https://192.0.2.1:9999' }),
  probe('POST /v1/heartbeat/{it}', {
    callback_url: 'https://192.0.2.1:9999',
    agent_token: 'guessed',
  }),
  probe('POST /v1/continue_inspection?node_uuid={it}', { inventory: {} }),
];

export const agentAddressProbes: readonly Probe[] = [
  ...gets('/v1/lookup?addresses={it}'),
  probe('POST /v1/continue_inspection', {
    inventory: { interfaces: [{ mac_address: '{it}' }] },
  }),
];
