import { describe, expect, it } from '@jest/globals';
import { createMatcher } from './match-route.js';
import { ROUTES } from './route-table.js';
import { type Route } from './route.js';
import { SERVER_ACTION } from './server-actions.js';

const match = createMatcher(ROUTES);
function routeFor(method: string, path: string): Route | undefined {
  const found = match(method, path.slice(1).split('/'));
  return found.kind === 'route' ? found.route : undefined;
}
function actionsOf(route: Route | undefined): string | undefined {
  if (route === undefined) return undefined;
  const { action } = route;
  return typeof action === 'object' && action !== null ? action.among.join(' ') : String(action);
}
const nova = (...names: readonly string[]): string =>
  names.map((name) => `os_compute_api:${name}`).join(' ');

/** The whole surface of the compute API but for its actions, by hand. */
const SURFACE = [
  ['GET', '/v2.1', 'null'],
  ['GET', '/v2.1/servers', nova('servers:index', 'servers:index:get_all_tenants')],
  ['GET', '/v2.1/servers/detail', nova('servers:detail', 'servers:detail:get_all_tenants')],
  ['POST', '/v2.1/servers', nova('servers:create')],
  ['GET', '/v2.1/servers/s1', nova('servers:show')],
  ['PUT', '/v2.1/servers/s1', nova('servers:update')],
  ['DELETE', '/v2.1/servers/s1', nova('servers:delete')],
  ['GET', '/v2.1/flavors', nova('flavors')],
  ['GET', '/v2.1/flavors/detail', nova('flavors')],
  ['GET', '/v2.1/flavors/f1', nova('flavors')],
  ['GET', '/v2.1/flavors/f1/os-extra_specs', nova('os-flavor-extra-specs:index')],
  ['GET', '/v2.1/os-keypairs', nova('os-keypairs:index')],
  ['POST', '/v2.1/os-keypairs', nova('os-keypairs:create')],
  ['GET', '/v2.1/os-keypairs/k1', nova('os-keypairs:show')],
  ['DELETE', '/v2.1/os-keypairs/k1', nova('os-keypairs:delete')],
] as const;

const ACTIONS = [
  ['changePassword', 'os-admin-password'],
  ['lock', 'os-lock-server:lock'],
  ['unlock', 'os-lock-server:unlock'],
  ['pause', 'os-pause-server:pause'],
  ['unpause', 'os-pause-server:unpause'],
  ['rebuild', 'servers:rebuild'],
  ['resize', 'servers:resize'],
  ['confirmResize', 'servers:confirm_resize'],
  ['revertResize', 'servers:revert_resize'],
  ['rescue', 'os-rescue'],
  ['unrescue', 'os-unrescue'],
  ['os-start', 'servers:start'],
  ['os-stop', 'servers:stop'],
  ['reboot', 'servers:reboot'],
  ['suspend', 'os-suspend-server:suspend'],
  ['resume', 'os-suspend-server:resume'],
  ['evacuate', 'os-evacuate'],
  ['forceDelete', 'os-deferred-delete:force'],
  ['shelve', 'os-shelve:shelve'],
  ['unshelve', 'os-shelve:unshelve'],
  ['shelveOffload', 'os-shelve:shelve_offload'],
  ['trigger_crash_dump', 'servers:trigger_crash_dump'],
  ['os-getConsoleOutput', 'os-console-output'],
] as const;

const chosen = (json: unknown): string => SERVER_ACTION.choose({ query: new Map(), json });
const BAD = expect.objectContaining({ status: 400 });

describe('the compute API', () => {
  it.each(SURFACE)('has %s %s, which asks for %s', (method, path, actions) => {
    expect(actionsOf(routeFor(method, path))).toBe(actions);
    expect(routeFor(method, path)?.upstream).toBe('compute');
  });

  it('has besides these its actions, and nothing else', () => {
    const paths = ROUTES.filter(({ api }) => api === 'compute').map(({ path }) => path);
    expect(paths).toHaveLength(SURFACE.length + 1);
    expect(paths.every((path) => path === '/v2.1' || path.startsWith('/v2.1/'))).toBe(true);
    expect(paths).toContain('/v2.1/servers/{ident}/action');
  });

  it('is all that lies below /v2.1', () => {
    expect(ROUTES.filter(({ path }) => path.startsWith('/v2')).map(({ api }) => api)).toEqual(
      Array(SURFACE.length + 1).fill('compute'),
    );
  });

  it.each(['/v2.1/p1/servers', '/v2.1/servers/s1/metadata', '/v2.1/os-hypervisors', '/v2'])(
    'does not have %s',
    (path) => {
      expect(match('GET', path.slice(1).split('/'))).toEqual({ kind: 'unknown' });
    },
  );

  it.each(ACTIONS)('maps %s to %s', (verb, action) => {
    expect(chosen({ [verb]: null })).toBe(`os_compute_api:${action}`);
    expect(chosen({ [verb]: { any: 1 } })).toBe(`os_compute_api:${action}`);
  });

  it('accepts no other actions', () => {
    expect([...SERVER_ACTION.among].toSorted()).toEqual(
      ACTIONS.map(([, action]) => `os_compute_api:${action}`).toSorted(),
    );
    for (const verb of ['createImage', 'os-resetState', 'constructor', 'toString', 'Lock', ''])
      expect(() => chosen({ [verb]: null })).toThrow(`There is no such action: ${verb}.`);
    expect(() => chosen(JSON.parse('{"__proto__": null}'))).toThrow('There is no such action');
  });

  it.each([[{}], [{ lock: null, 'os-stop': null }], [[]], ['lock'], [null], [undefined]])(
    'refuses %j, which names no action or more than one',
    (json) => {
      expect(() => chosen(json)).toThrow('Malformed request body');
      expect(() => chosen(json)).toThrow(BAD);
    },
  );
});
