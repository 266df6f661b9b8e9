import { BODY, type BodyKind } from './body-kinds.js';

export type Upstream = 'inventory' | 'conductor' | 'allocation';

/** A resource whose tenancy is loaded before the policy is asked, and where its ident is. */
export interface LoadedResource {
  readonly type: 'node' | 'allocation';
  readonly from: { readonly param: string } | { readonly query: readonly string[] };
}

/** The first microversion of a route, and Ironic's answer below it. */
interface Since {
  readonly minor: number;
  readonly status: 404 | 405;
  readonly message: string;
}

/** One route. This table is what the gateway knows of the bare-metal API; what is not in it is not forwarded. */
export interface Route {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Segments in braces match any one segment; a literal segment goes before one in braces. */
  readonly path: string;
  readonly upstream: Upstream;
  /** The policy action; null for a public route, which needs no token. */
  readonly action: string | null;
  /** Null when nothing exists yet, or when the question is about a list. */
  readonly resource: LoadedResource | null;
  readonly body: BodyKind;
  readonly query: ReadonlySet<string>;
  /** A list, whose rows the policy filters. */
  readonly isList?: true;
  readonly since?: Since;
}

const keys = (...names: readonly string[]): ReadonlySet<string> => new Set(names);

const NO_KEYS = keys();
const FIELDS = keys('fields');
const NODE_LIST_KEYS = keys(
  'limit',
  'marker',
  'sort_key',
  'sort_dir',
  'fields',
  'detail',
  'owner',
  'lessee',
  'driver',
  'resource_class',
  'provision_state',
  'conductor',
  'conductor_group',
  'maintenance',
  'associated',
  'instance_uuid',
  'chassis_uuid',
  'fault',
  'retired',
  'description_contains',
  // Newer than the newest version served: the inventory knows them, and answers 406.
  'shard',
  'sharded',
  'parent_node',
  'include_children',
  'instance_name',
);
const ALLOCATION_LIST_KEYS = keys(
  'limit',
  'marker',
  'sort_key',
  'sort_dir',
  'fields',
  'node',
  'resource_class',
  'state',
  'owner',
);

const NODE: LoadedResource = { type: 'node', from: { param: 'ident' } };
const NODE_OF_QUERY: LoadedResource = { type: 'node', from: { query: ['node', 'node_uuid'] } };
const ALLOCATION: LoadedResource = { type: 'allocation', from: { param: 'ident' } };

const ALLOCATIONS: Since = {
  minor: 52,
  status: 404,
  message: 'The API version does not allow allocations',
};
const ALLOCATION_UPDATE: Since = {
  minor: 57,
  status: 405,
  message: 'The API version does not allow updating allocations',
};

type Row = Pick<Route, 'method' | 'path' | 'action'> & Partial<Route>;

const inventory = (row: Row): Route => ({
  upstream: 'inventory',
  resource: null,
  body: BODY.none,
  query: NO_KEYS,
  ...row,
});
const conductor = (row: Row): Route => ({
  upstream: 'conductor',
  resource: NODE,
  body: BODY.none,
  query: NO_KEYS,
  ...row,
});
const allocation = (row: Row): Route => ({
  upstream: 'allocation',
  resource: null,
  body: BODY.none,
  query: NO_KEYS,
  since: ALLOCATIONS,
  ...row,
});

const node = (verb: string): string => `baremetal:node:${verb}`;

/** The routes of this release. */
export const ROUTES: readonly Route[] = [
  inventory({ method: 'GET', path: '/', action: null }),
  inventory({ method: 'HEAD', path: '/', action: null }),
  inventory({ method: 'GET', path: '/v1', action: null }),
  inventory({ method: 'HEAD', path: '/v1', action: null }),

  inventory({
    method: 'GET',
    path: '/v1/nodes',
    action: node('list'),
    query: NODE_LIST_KEYS,
    isList: true,
  }),
  inventory({
    method: 'GET',
    path: '/v1/nodes/detail',
    action: node('list'),
    query: NODE_LIST_KEYS,
    isList: true,
  }),
  inventory({ method: 'POST', path: '/v1/nodes', action: node('create'), body: BODY.node }),
  inventory({
    method: 'GET',
    path: '/v1/nodes/{ident}',
    action: node('get'),
    resource: NODE,
    query: FIELDS,
  }),
  inventory({
    method: 'PATCH',
    path: '/v1/nodes/{ident}',
    action: node('update'),
    resource: NODE,
    body: BODY.nodePatch,
    query: keys('reset_interfaces'),
  }),
  inventory({
    method: 'DELETE',
    path: '/v1/nodes/{ident}',
    action: node('delete'),
    resource: NODE,
  }),
  inventory({
    method: 'GET',
    path: '/v1/nodes/{ident}/states',
    action: node('get_states'),
    resource: NODE,
  }),

  conductor({
    method: 'PUT',
    path: '/v1/nodes/{ident}/states/power',
    action: node('set_power_state'),
    body: BODY.power,
  }),
  conductor({
    method: 'PUT',
    path: '/v1/nodes/{ident}/maintenance',
    action: node('set_maintenance'),
    body: BODY.maintenance,
  }),
  conductor({
    method: 'DELETE',
    path: '/v1/nodes/{ident}/maintenance',
    action: node('clear_maintenance'),
  }),
  conductor({ method: 'GET', path: '/v1/nodes/{ident}/validate', action: node('validate') }),
  conductor({
    method: 'GET',
    path: '/v1/nodes/validate',
    action: node('validate'),
    resource: NODE_OF_QUERY,
    query: keys('node', 'node_uuid'),
  }),
  conductor({
    method: 'GET',
    path: '/v1/nodes/{ident}/management/boot_device',
    action: node('get_boot_device'),
  }),
  conductor({
    method: 'PUT',
    path: '/v1/nodes/{ident}/management/boot_device',
    action: node('set_boot_device'),
    body: BODY.bootDevice,
  }),
  conductor({
    method: 'GET',
    path: '/v1/nodes/{ident}/management/boot_device/supported',
    action: node('get_boot_device'),
  }),

  allocation({
    method: 'GET',
    path: '/v1/allocations',
    action: 'baremetal:allocation:list',
    query: ALLOCATION_LIST_KEYS,
    isList: true,
  }),
  allocation({
    method: 'POST',
    path: '/v1/allocations',
    action: 'baremetal:allocation:create',
    body: BODY.allocation,
  }),
  allocation({
    method: 'GET',
    path: '/v1/allocations/{ident}',
    action: 'baremetal:allocation:get',
    resource: ALLOCATION,
    query: FIELDS,
  }),
  allocation({
    method: 'PATCH',
    path: '/v1/allocations/{ident}',
    action: 'baremetal:allocation:update',
    resource: ALLOCATION,
    body: BODY.allocationPatch,
    since: ALLOCATION_UPDATE,
  }),
  allocation({
    method: 'DELETE',
    path: '/v1/allocations/{ident}',
    action: 'baremetal:allocation:delete',
    resource: ALLOCATION,
  }),
];
