import { describe, expect, it } from '@jest/globals';
import { createMatcher } from './match-route.js';
import { ROUTES } from './route-table.js';

const match = createMatcher(ROUTES);
function find(method: string, path: string): unknown {
  const found = match(
    method,
    path.split('/').filter((segment) => segment !== ''),
  );
  if (found.kind === 'route')
    return [found.route.action, found.route.upstream, Object.fromEntries(found.params)];
  return found.kind === 'wrong_method' ? found.allow.join(', ') : found.kind;
}

describe('the route table', () => {
  it.each([
    ['GET', '/', [null, 'inventory', {}]],
    ['HEAD', '/v1', [null, 'inventory', {}]],
    ['GET', '/v1/nodes', ['baremetal:node:list', 'inventory', {}]],
    ['GET', '/v1/nodes/detail', ['baremetal:node:list', 'inventory', {}]],
    ['POST', '/v1/nodes', ['baremetal:node:create', 'inventory', {}]],
    ['GET', '/v1/nodes/n1', ['baremetal:node:get', 'inventory', { ident: 'n1' }]],
    ['PATCH', '/v1/nodes/n1', ['baremetal:node:update', 'inventory', { ident: 'n1' }]],
    ['DELETE', '/v1/nodes/n1', ['baremetal:node:delete', 'inventory', { ident: 'n1' }]],
    ['GET', '/v1/nodes/n1/states', ['baremetal:node:get_states', 'inventory', { ident: 'n1' }]],
    [
      'PUT',
      '/v1/nodes/n1/states/power',
      ['baremetal:node:set_power_state', 'conductor', { ident: 'n1' }],
    ],
    [
      'PUT',
      '/v1/nodes/n1/maintenance',
      ['baremetal:node:set_maintenance', 'conductor', { ident: 'n1' }],
    ],
    [
      'DELETE',
      '/v1/nodes/n1/maintenance',
      ['baremetal:node:clear_maintenance', 'conductor', { ident: 'n1' }],
    ],
    ['GET', '/v1/nodes/n1/validate', ['baremetal:node:validate', 'conductor', { ident: 'n1' }]],
    ['GET', '/v1/nodes/validate', ['baremetal:node:validate', 'conductor', {}]],
    [
      'GET',
      '/v1/nodes/n1/management/boot_device',
      ['baremetal:node:get_boot_device', 'conductor', { ident: 'n1' }],
    ],
    [
      'PUT',
      '/v1/nodes/n1/management/boot_device',
      ['baremetal:node:set_boot_device', 'conductor', { ident: 'n1' }],
    ],
    [
      'GET',
      '/v1/nodes/n1/management/boot_device/supported',
      ['baremetal:node:get_boot_device', 'conductor', { ident: 'n1' }],
    ],
    ['GET', '/v1/allocations', ['baremetal:allocation:list', 'allocation', {}]],
    ['POST', '/v1/allocations', ['baremetal:allocation:create', 'allocation', {}]],
    ['GET', '/v1/allocations/a1', ['baremetal:allocation:get', 'allocation', { ident: 'a1' }]],
    ['PATCH', '/v1/allocations/a1', ['baremetal:allocation:update', 'allocation', { ident: 'a1' }]],
    [
      'DELETE',
      '/v1/allocations/a1',
      ['baremetal:allocation:delete', 'allocation', { ident: 'a1' }],
    ],
  ])('%s %s', (method, path, expected) => {
    expect(find(method, path)).toEqual(expected);
  });

  it.each([
    ['PUT', '/v1/nodes', 'GET, POST'],
    ['POST', '/v1/nodes/n1', 'DELETE, GET, PATCH'],
    ['DELETE', '/v1/nodes/detail', 'GET'],
    ['GET', '/v1/nodes/n1/states/power', 'PUT'],
    ['OPTIONS', '/v1/nodes', 'GET, POST'],
    ['get', '/v1/nodes', 'GET, POST'],
    ['HEAD', '/v1/nodes', 'GET, POST'],
    ['GET', '/v2', 'unknown'],
    ['GET', '/V1/nodes', 'unknown'],
    ['GET', '/v1/nodes/n1/management', 'unknown'],
    ['GET', '/v1/nodes/n1/states/power/x', 'unknown'],
    ['GET', '/internal/nodes', 'unknown'],
    ['GET', '/metrics', 'unknown'],
    ['GET', '/__proto__', 'unknown'],
  ])('has no route for %s %s: %s', (method, path, expected) => {
    expect(find(method, path)).toBe(expected);
  });

  it('refuses to hold one route twice', () => {
    expect(() => createMatcher([...ROUTES, ...ROUTES.slice(0, 1)])).toThrow('two routes for GET /');
  });

  it('lets only the documents about the API and the deploy ramdisk pass without a token', () => {
    expect(
      ROUTES.filter(({ action }) => action === null).map(({ method, path }) => `${method} ${path}`),
    ).toEqual([
      'GET /',
      'HEAD /',
      'GET /v1',
      'HEAD /v1',
      'GET /openapi.json',
      'HEAD /openapi.json',
      'GET /v1/lookup',
      'POST /v1/heartbeat/{ident}',
      'POST /v1/continue_inspection',
      'GET /v2.1',
    ]);
  });
});
