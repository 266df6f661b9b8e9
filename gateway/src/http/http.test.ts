import { describe, expect, it } from '@jest/globals';
import { negotiate } from '../dialects/microversion.js';
import { ROUTES } from '../routes/route-table.js';
import { checkIdent, namedResources } from './named-resource.js';

describe('the microversion', () => {
  it.each([
    [{}, 1],
    [{ 'x-openstack-ironic-api-version': '1.50' }, 50],
    [{ 'openstack-api-version': 'compute 2.90, baremetal 1.52' }, 52],
    [{ 'openstack-api-version': 'compute 2.90' }, 1],
    [{ 'x-openstack-ironic-api-version': '1.50', 'openstack-api-version': 'baremetal 1.50' }, 50],
    [{ 'x-openstack-ironic-api-version': 'latest', 'openstack-api-version': 'baremetal 1.91' }, 91],
  ])('of %j is 1.%d', (headers, minor) => {
    expect(negotiate(headers)).toEqual({ major: 1, minor });
  });

  it.each([
    [{ 'x-openstack-ironic-api-version': '1.0' }],
    [{ 'x-openstack-ironic-api-version': '1.92' }],
    [{ 'x-openstack-ironic-api-version': '' }],
    [{ 'x-openstack-ironic-api-version': '1.50', 'openstack-api-version': 'baremetal 1.51' }],
  ])('of %j is not served', (headers) => {
    expect(() => negotiate(headers)).toThrow(expect.objectContaining({ status: 406 }));
  });
});

function routeOf(method: string, path: string): (typeof ROUTES)[number] {
  const found = ROUTES.find((route) => route.method === method && route.path === path);
  if (found === undefined) throw new Error(`no route for ${method} ${path}`);
  return found;
}

describe('the resource that a request names', () => {
  const show = routeOf('GET', '/v1/nodes/{ident}');
  const named = (ident: string): boolean | undefined =>
    namedResources(show, { params: new Map([['ident', ident]]), query: new Map(), json: undefined })
      .resource?.isValid;

  it('may be a uuid or a name', () => {
    expect(named('ed836491-07b5-49e8-95fc-6a53acab893b')).toBe(true);
    expect(named('rack1-u01')).toBe(true);
  });

  it('is not looked up when its name is longer than any', () => {
    expect(named('n'.repeat(255))).toBe(true);
    expect(named('n'.repeat(256))).toBe(false);
  });
});

describe('an ident in the path', () => {
  const UUID = 'ed836491-07b5-49e8-95fc-6a53acab893b';
  const check = (path: string, ident: string, minor: number) => (): void => {
    checkIdent(routeOf('GET', path), new Map([['ident', ident]]), { minor });
  };

  it.each(['/v1/ports/{ident}', '/v1/volume/connectors/{ident}', '/v1/chassis/{ident}'])(
    'of %s must be a uuid',
    (path) => {
      expect(check(path, UUID, 65)).not.toThrow();
      expect(check(path, UUID.toUpperCase(), 65)).not.toThrow();
      expect(check(path, 'eth0', 65)).toThrow(
        expect.objectContaining({ status: 400, message: 'Expected a UUID but received eth0.' }),
      );
    },
  );

  it('of a port may be a name from 1.88 on', () => {
    expect(check('/v1/ports/{ident}', 'eth0', 87)).toThrow('Expected a UUID but received eth0.');
    expect(check('/v1/ports/{ident}', 'eth0', 88)).not.toThrow();
  });

  it('of a node or a port group may be a name', () => {
    expect(check('/v1/nodes/{ident}', 'rack1', 65)).not.toThrow();
    expect(check('/v1/portgroups/{ident}', 'bond0', 65)).not.toThrow();
  });
});
