import { describe, expect, it } from '@jest/globals';
import { createMatcher } from './match-route.js';
import { ROUTES } from './route-table.js';
import { type Route } from './route.js';

type Line = readonly [
  method: string,
  path: string,
  action: string | null,
  upstream: string,
  since?: number,
];

const node = (verb: string): string => `baremetal:node:${verb}`;
const N = '/v1/nodes/{id}';

/** The whole surface, by hand: nothing here is derived from the table. */
const SURFACE: readonly Line[] = [
  ['GET', '/', null, 'inventory'],
  ['HEAD', '/', null, 'inventory'],
  ['GET', '/v1', null, 'inventory'],
  ['HEAD', '/v1', null, 'inventory'],
  ['GET', '/openapi.json', null, 'gateway'],
  ['HEAD', '/openapi.json', null, 'gateway'],

  ['GET', '/v1/nodes', node('list'), 'inventory'],
  ['GET', '/v1/nodes/detail', node('list'), 'inventory'],
  ['POST', '/v1/nodes', node('create'), 'inventory'],
  ['GET', N, node('get'), 'inventory'],
  ['PATCH', N, node('update'), 'inventory'],
  ['DELETE', N, node('delete'), 'inventory'],
  ['GET', `${N}/validate`, node('validate'), 'conductor'],
  ['GET', '/v1/nodes/validate', node('validate'), 'conductor'],
  ['PUT', `${N}/maintenance`, node('set_maintenance'), 'conductor'],
  ['DELETE', `${N}/maintenance`, node('clear_maintenance'), 'conductor'],
  ['GET', `${N}/children`, node('list'), 'inventory', 83],

  ['GET', `${N}/management/boot_device`, node('get_boot_device'), 'conductor'],
  ['GET', `${N}/management/boot_device/supported`, node('get_boot_device'), 'conductor'],
  ['PUT', `${N}/management/boot_device`, node('set_boot_device'), 'conductor'],
  ['GET', `${N}/management/indicators`, node('get_indicator_state'), 'conductor', 63],
  ['GET', `${N}/management/indicators/{i}`, node('get_indicator_state'), 'conductor', 63],
  ['PUT', `${N}/management/indicators/{i}`, node('set_indicator_state'), 'conductor', 63],
  ['GET', `${N}/management/indicators/{i}/{l}`, node('get_indicator_state'), 'conductor', 63],
  ['PUT', `${N}/management/indicators/{i}/{l}`, node('set_indicator_state'), 'conductor', 63],
  ['PUT', `${N}/management/inject_nmi`, node('inject_nmi'), 'conductor', 29],

  ['GET', `${N}/states`, node('get_states'), 'inventory'],
  ['PUT', `${N}/states/power`, node('set_power_state'), 'conductor'],
  ['PUT', `${N}/states/provision`, node('set_provision_state'), 'conductor'],
  ['PUT', `${N}/states/raid`, node('set_raid_state'), 'conductor', 12],
  ['GET', `${N}/states/console`, node('get_console'), 'conductor'],
  ['PUT', `${N}/states/console`, node('set_console_state'), 'conductor'],
  ['PUT', `${N}/states/boot_mode`, node('set_boot_mode'), 'conductor', 76],
  ['PUT', `${N}/states/secure_boot`, node('set_secure_boot'), 'conductor', 76],

  ['GET', `${N}/vendor_passthru/methods`, node('vendor_passthru'), 'conductor'],
  ['GET', `${N}/vendor_passthru`, node('vendor_passthru'), 'conductor'],
  ['GET', `${N}/vendor_passthru/{m}`, node('vendor_passthru'), 'conductor'],
  ['POST', `${N}/vendor_passthru`, node('vendor_passthru'), 'conductor'],
  ['POST', `${N}/vendor_passthru/{m}`, node('vendor_passthru'), 'conductor'],
  ['PUT', `${N}/vendor_passthru`, node('vendor_passthru'), 'conductor'],
  ['PUT', `${N}/vendor_passthru/{m}`, node('vendor_passthru'), 'conductor'],
  ['PATCH', `${N}/vendor_passthru`, node('vendor_passthru'), 'conductor'],
  ['PATCH', `${N}/vendor_passthru/{m}`, node('vendor_passthru'), 'conductor'],
  ['DELETE', `${N}/vendor_passthru`, node('vendor_passthru'), 'conductor'],
  ['DELETE', `${N}/vendor_passthru/{m}`, node('vendor_passthru'), 'conductor'],

  ['GET', `${N}/traits`, node('traits:list'), 'inventory', 37],
  ['PUT', `${N}/traits`, node('traits:set'), 'inventory', 37],
  ['PUT', `${N}/traits/{t}`, node('traits:set'), 'inventory', 37],
  ['DELETE', `${N}/traits`, node('traits:delete'), 'inventory', 37],
  ['DELETE', `${N}/traits/{t}`, node('traits:delete'), 'inventory', 37],
  ['GET', `${N}/vifs`, node('vif:list'), 'conductor', 28],
  ['POST', `${N}/vifs`, node('vif:attach'), 'conductor', 28],
  ['DELETE', `${N}/vifs/{vif}`, node('vif:detach'), 'conductor', 28],
  ['GET', `${N}/bios`, node('bios:get'), 'inventory', 40],
  ['GET', `${N}/bios/{setting}`, node('bios:get'), 'inventory', 40],
  ['GET', `${N}/firmware`, node('firmware:get'), 'inventory', 86],
  ['GET', `${N}/history`, node('history:get'), 'inventory', 78],
  ['GET', `${N}/history/{event}`, node('history:get'), 'inventory', 78],
  ['GET', `${N}/inventory`, node('inventory:get'), 'inventory', 81],
  ['GET', `${N}/vmedia`, node('vmedia:get'), 'conductor', 93],
  ['POST', `${N}/vmedia`, node('vmedia:attach'), 'conductor', 89],
  ['DELETE', `${N}/vmedia`, node('vmedia:detach'), 'conductor', 89],
  ['GET', `${N}/allocation`, 'baremetal:allocation:get', 'allocation', 52],
  ['DELETE', `${N}/allocation`, 'baremetal:allocation:delete', 'allocation', 52],

  ['GET', '/v1/ports', 'baremetal:port:list', 'inventory'],
  ['GET', '/v1/ports/detail', 'baremetal:port:list', 'inventory'],
  ['GET', '/v1/ports/{id}', 'baremetal:port:get', 'inventory'],
  ['POST', '/v1/ports', 'baremetal:port:create', 'inventory'],
  ['PATCH', '/v1/ports/{id}', 'baremetal:port:update', 'inventory'],
  ['DELETE', '/v1/ports/{id}', 'baremetal:port:delete', 'inventory'],
  ['GET', `${N}/ports`, 'baremetal:port:list', 'inventory'],
  ['GET', `${N}/ports/detail`, 'baremetal:port:list', 'inventory'],

  ['GET', '/v1/portgroups', 'baremetal:portgroup:list', 'inventory', 23],
  ['GET', '/v1/portgroups/detail', 'baremetal:portgroup:list', 'inventory', 23],
  ['GET', '/v1/portgroups/{id}', 'baremetal:portgroup:get', 'inventory', 23],
  ['POST', '/v1/portgroups', 'baremetal:portgroup:create', 'inventory', 23],
  ['PATCH', '/v1/portgroups/{id}', 'baremetal:portgroup:update', 'inventory', 23],
  ['DELETE', '/v1/portgroups/{id}', 'baremetal:portgroup:delete', 'inventory', 23],
  ['GET', `${N}/portgroups`, 'baremetal:portgroup:list', 'inventory', 24],
  ['GET', `${N}/portgroups/detail`, 'baremetal:portgroup:list', 'inventory', 24],
  ['GET', '/v1/portgroups/{id}/ports', 'baremetal:port:list', 'inventory', 24],
  ['GET', '/v1/portgroups/{id}/ports/detail', 'baremetal:port:list', 'inventory', 24],

  ['GET', '/v1/volume', 'baremetal:volume:get', 'inventory', 32],
  ['GET', `${N}/volume`, 'baremetal:volume:get', 'inventory', 32],
  ['GET', '/v1/volume/connectors', 'baremetal:volume:list', 'inventory', 32],
  ['GET', '/v1/volume/connectors/{id}', 'baremetal:volume:get', 'inventory', 32],
  ['POST', '/v1/volume/connectors', 'baremetal:volume:create', 'inventory', 32],
  ['PATCH', '/v1/volume/connectors/{id}', 'baremetal:volume:update', 'inventory', 32],
  ['DELETE', '/v1/volume/connectors/{id}', 'baremetal:volume:delete', 'inventory', 32],
  ['GET', `${N}/volume/connectors`, 'baremetal:volume:list', 'inventory', 32],
  ['GET', '/v1/volume/targets', 'baremetal:volume:list', 'inventory', 32],
  ['GET', '/v1/volume/targets/{id}', 'baremetal:volume:get', 'inventory', 32],
  ['POST', '/v1/volume/targets', 'baremetal:volume:create', 'inventory', 32],
  ['PATCH', '/v1/volume/targets/{id}', 'baremetal:volume:update', 'inventory', 32],
  ['DELETE', '/v1/volume/targets/{id}', 'baremetal:volume:delete', 'inventory', 32],
  ['GET', `${N}/volume/targets`, 'baremetal:volume:list', 'inventory', 32],

  ['GET', '/v1/drivers', 'baremetal:driver:get', 'inventory'],
  ['GET', '/v1/drivers/{d}', 'baremetal:driver:get', 'inventory'],
  ['GET', '/v1/drivers/{d}/properties', 'baremetal:driver:get_properties', 'conductor'],
  [
    'GET',
    '/v1/drivers/{d}/raid/logical_disk_properties',
    'baremetal:driver:get_raid_logical_disk_properties',
    'conductor',
    12,
  ],
  [
    'GET',
    '/v1/drivers/{d}/vendor_passthru/methods',
    'baremetal:driver:vendor_passthru',
    'conductor',
  ],
  ['GET', '/v1/drivers/{d}/vendor_passthru', 'baremetal:driver:vendor_passthru', 'conductor'],
  ['GET', '/v1/drivers/{d}/vendor_passthru/{m}', 'baremetal:driver:vendor_passthru', 'conductor'],
  ['POST', '/v1/drivers/{d}/vendor_passthru', 'baremetal:driver:vendor_passthru', 'conductor'],
  ['POST', '/v1/drivers/{d}/vendor_passthru/{m}', 'baremetal:driver:vendor_passthru', 'conductor'],
  ['PUT', '/v1/drivers/{d}/vendor_passthru', 'baremetal:driver:vendor_passthru', 'conductor'],
  ['PUT', '/v1/drivers/{d}/vendor_passthru/{m}', 'baremetal:driver:vendor_passthru', 'conductor'],
  ['PATCH', '/v1/drivers/{d}/vendor_passthru', 'baremetal:driver:vendor_passthru', 'conductor'],
  ['PATCH', '/v1/drivers/{d}/vendor_passthru/{m}', 'baremetal:driver:vendor_passthru', 'conductor'],
  ['DELETE', '/v1/drivers/{d}/vendor_passthru', 'baremetal:driver:vendor_passthru', 'conductor'],
  [
    'DELETE',
    '/v1/drivers/{d}/vendor_passthru/{m}',
    'baremetal:driver:vendor_passthru',
    'conductor',
  ],
  ['GET', '/v1/conductors', 'baremetal:conductor:get', 'inventory', 49],
  ['GET', '/v1/conductors/{host}', 'baremetal:conductor:get', 'inventory', 49],
  ['GET', '/v1/shards', 'baremetal:shards:get', 'inventory', 82],

  ['GET', '/v1/allocations', 'baremetal:allocation:list', 'allocation', 52],
  ['POST', '/v1/allocations', 'baremetal:allocation:create', 'allocation', 52],
  ['GET', '/v1/allocations/{id}', 'baremetal:allocation:get', 'allocation', 52],
  ['PATCH', '/v1/allocations/{id}', 'baremetal:allocation:update', 'allocation', 57],
  ['DELETE', '/v1/allocations/{id}', 'baremetal:allocation:delete', 'allocation', 52],

  ['GET', '/v1/leases', 'baremetal:lease:list', 'inventory'],
  ['POST', '/v1/leases', 'baremetal:lease:create', 'inventory'],
  ['GET', '/v1/leases/{id}', 'baremetal:lease:get', 'inventory'],
  ['PATCH', '/v1/leases/{id}', 'baremetal:lease:update', 'inventory'],
  ['DELETE', '/v1/leases/{id}', 'baremetal:lease:delete', 'inventory'],
  ['GET', `${N}/lease`, 'baremetal:lease:get', 'inventory'],

  ['GET', `${N}/handovers`, 'baremetal:handover:get', 'inventory'],
  ['GET', `${N}/handovers/{handover}`, 'baremetal:handover:get', 'inventory'],
  ['GET', '/v1/handovers', 'baremetal:handover:list', 'inventory'],
  ['GET', '/v1/handovers/{id}', 'baremetal:handover:list', 'inventory'],

  ['GET', '/v1/deploy_templates', 'baremetal:deploy_template:get', 'inventory', 55],
  ['GET', '/v1/deploy_templates/{id}', 'baremetal:deploy_template:get', 'inventory', 55],
  ['POST', '/v1/deploy_templates', 'baremetal:deploy_template:create', 'inventory', 55],
  ['PATCH', '/v1/deploy_templates/{id}', 'baremetal:deploy_template:update', 'inventory', 55],
  ['DELETE', '/v1/deploy_templates/{id}', 'baremetal:deploy_template:delete', 'inventory', 55],

  ['GET', '/v1/chassis', 'baremetal:chassis:get', 'inventory'],
  ['GET', '/v1/chassis/detail', 'baremetal:chassis:get', 'inventory'],
  ['GET', '/v1/chassis/{id}', 'baremetal:chassis:get', 'inventory'],
  ['POST', '/v1/chassis', 'baremetal:chassis:create', 'inventory'],
  ['PATCH', '/v1/chassis/{id}', 'baremetal:chassis:update', 'inventory'],
  ['DELETE', '/v1/chassis/{id}', 'baremetal:chassis:delete', 'inventory'],
  ['GET', '/v1/chassis/{id}/nodes', node('list'), 'inventory'],
  ['GET', '/v1/chassis/{id}/nodes/detail', node('list'), 'inventory'],

  ['GET', '/v1/lookup', null, 'conductor', 22],
  ['POST', '/v1/heartbeat/{id}', null, 'conductor', 22],
  ['POST', '/v1/continue_inspection', null, 'conductor', 84],

  ['GET', '/v1/introspection', 'introspection:status', 'conductor'],
  ['GET', '/v1/introspection/{id}', 'introspection:status', 'conductor'],
  ['POST', '/v1/introspection/{id}', 'introspection:start', 'conductor'],
  ['POST', '/v1/introspection/{id}/abort', 'introspection:abort', 'conductor'],
  ['GET', '/v1/introspection/{id}/data', 'introspection:data', 'conductor'],
  ['POST', '/v1/introspection/{id}/data/unprocessed', 'introspection:reapply', 'conductor'],
];

const match = createMatcher(ROUTES);
function routeFor(method: string, path: string): Route | undefined {
  const segments = path
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment) => (segment.startsWith('{') ? 'x1' : segment));
  const found = match(method, segments);
  return found.kind === 'route' ? found.route : undefined;
}
const named = (routes: readonly Route[]): readonly string[] =>
  routes.map(({ method, path }) => `${method} ${path}`);

const keysFor = (path: string): readonly string[] =>
  [...(routeFor('GET', path)?.query.keys() ?? [])].toSorted();

describe('the bare-metal API', () => {
  it.each(SURFACE.map((line) => ({ line, what: line.join(' ') })))('has $what', ({ line }) => {
    const [method, path, action, upstream, since] = line;
    const route = routeFor(method, path);
    expect([route?.action, route?.upstream, route?.since?.minor]).toEqual([
      action,
      upstream,
      since,
    ]);
  });

  it('has nothing else', () => {
    expect(ROUTES.filter(({ api }) => api === 'baremetal')).toHaveLength(SURFACE.length);
  });

  it.each(['/v1/runbooks', '/v1/inspection_rules', '/v1/events', '/v1/nodes/n/management'])(
    'does not have %s',
    (path) => {
      expect(match('GET', path.slice(1).split('/'))).toEqual({ kind: 'unknown' });
    },
  );

  it('names the public routes that do something', () => {
    expect(
      ROUTES.filter(({ signedAs }) => signedAs !== undefined).map(({ path, signedAs }) => [
        path,
        signedAs,
      ]),
    ).toEqual([
      ['/v1/lookup', 'baremetal:driver:ipa_lookup'],
      ['/v1/heartbeat/{ident}', 'baremetal:node:ipa_heartbeat'],
      ['/v1/continue_inspection', 'baremetal:driver:ipa_continue_inspection'],
    ]);
  });

  it('filters the rows of exactly these lists', () => {
    expect(named(ROUTES.filter(({ isList }) => isList === true)).toSorted()).toEqual([
      'GET /v1/allocations',
      'GET /v1/chassis/{ident}/nodes',
      'GET /v1/chassis/{ident}/nodes/detail',
      'GET /v1/handovers',
      'GET /v1/leases',
      'GET /v1/nodes',
      'GET /v1/nodes/detail',
      'GET /v1/nodes/{ident}/children',
      'GET /v1/nodes/{ident}/handovers',
      'GET /v1/nodes/{ident}/portgroups',
      'GET /v1/nodes/{ident}/portgroups/detail',
      'GET /v1/nodes/{ident}/ports',
      'GET /v1/nodes/{ident}/ports/detail',
      'GET /v1/nodes/{ident}/volume/connectors',
      'GET /v1/nodes/{ident}/volume/targets',
      'GET /v1/portgroups',
      'GET /v1/portgroups/detail',
      'GET /v1/portgroups/{ident}/ports',
      'GET /v1/portgroups/{ident}/ports/detail',
      'GET /v1/ports',
      'GET /v1/ports/detail',
      'GET /v1/volume/connectors',
      'GET /v1/volume/targets',
      'GET /v2.1/servers',
      'GET /v2.1/servers/detail',
    ]);
  });

  it('asks about the parent first below a resource that has lists or child resources', () => {
    const within = ROUTES.filter((route) => route.within !== undefined);
    expect(within.map(({ path, within: parent }) => [path, parent?.action])).toEqual([
      ['/v1/nodes/{ident}/children', 'baremetal:node:get'],
      ['/v1/nodes/{ident}/ports', 'baremetal:node:get'],
      ['/v1/nodes/{ident}/ports/detail', 'baremetal:node:get'],
      ['/v1/portgroups/{ident}/ports', 'baremetal:portgroup:get'],
      ['/v1/portgroups/{ident}/ports/detail', 'baremetal:portgroup:get'],
      ['/v1/nodes/{ident}/portgroups', 'baremetal:node:get'],
      ['/v1/nodes/{ident}/portgroups/detail', 'baremetal:node:get'],
      ['/v1/nodes/{ident}/volume', 'baremetal:node:get'],
      ['/v1/nodes/{ident}/volume/connectors', 'baremetal:node:get'],
      ['/v1/nodes/{ident}/volume/targets', 'baremetal:node:get'],
      ['/v1/chassis/{ident}/nodes', 'baremetal:chassis:get'],
      ['/v1/chassis/{ident}/nodes/detail', 'baremetal:chassis:get'],
      ['/v1/nodes/{ident}/allocation', 'baremetal:node:get'],
      ['/v1/nodes/{ident}/allocation', 'baremetal:node:get'],
      ['/v1/nodes/{ident}/lease', 'baremetal:node:get'],
    ]);
  });

  it.each([
    ['GET', '/v1/deploy_templates', 404, 'The API version does not allow deploy templates'],
    ['POST', '/v1/deploy_templates', 405, 'The API version does not allow deploy templates'],
    ['DELETE', '/v1/allocations/{id}', 405, 'The API version does not allow allocations'],
    ['PATCH', '/v1/allocations/{id}', 405, 'The API version does not allow updating allocations'],
    ['GET', '/v1/shards', 404, 'The API version does not allow shards'],
    ['PUT', `${N}/states/raid`, 406, 'Request not acceptable.'],
    [
      'PUT',
      `${N}/states/boot_mode`,
      404,
      'This endpoint is supported starting with the API version 1.76',
    ],
    ['GET', `${N}/traits`, 406, 'Request not acceptable.'],
    ['PUT', `${N}/traits`, 405, 'The method PUT is not allowed for this resource.'],
    ['DELETE', `${N}/traits`, 404, 'The resource could not be found.'],
    ['GET', '/v1/conductors', 404, 'Resource could not be found.'],
    ['GET', '/v1/portgroups', 404, 'The API is not supported for this version'],
  ])('answers %s %s below its version with %d: %s', (method, path, status, message) => {
    expect(routeFor(method, path)?.since).toMatchObject({ status, message });
  });

  it('accepts no selection of fields where all fields are returned', () => {
    expect(keysFor(`${N}/ports/detail`)).toEqual([
      'address',
      'description_contains',
      'limit',
      'marker',
      'sort_dir',
      'sort_key',
    ]);
  });

  it.each([
    [
      '/v1/ports',
      'address conductor_groups description_contains detail fields limit marker node node_uuid portgroup shard sort_dir sort_key',
    ],
    [
      '/v1/portgroups',
      'address conductor_groups detail fields limit marker node shard sort_dir sort_key',
    ],
    [`${N}/ports`, 'address description_contains detail fields limit marker sort_dir sort_key'],
    ['/v1/volume/targets', 'detail fields limit marker node sort_dir sort_key'],
    ['/v1/conductors', 'detail fields limit marker sort_dir sort_key'],
    ['/v1/drivers', 'detail fields type'],
    ['/v1/lookup', 'addresses node_uuid'],
    [`${N}/history`, 'detail limit marker'],
    [`${N}/handovers`, 'detail fields limit marker'],
    [`${N}/bios`, 'detail fields'],
    [`${N}/vendor_passthru`, 'method'],
    [`${N}/states`, ''],
  ])('accepts these query keys for %s: %s', (path, expected) => {
    expect(keysFor(path).join(' ')).toBe(expected);
  });
});
