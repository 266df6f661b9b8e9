import { describe, expect, it } from '@jest/globals';
import { type Subject } from '@tenure/contracts';
import { ROUTES } from '../routes/route-table.js';
import { negotiate } from './microversion.js';
import { namedResource } from './named-resource.js';
import { createRateLimit } from './rate-limit.js';

const subject = (user: string, project: string | null): Subject => ({
  user_id: user,
  project_id: project,
  system_scope: null,
  domain_id: null,
  roles: [],
});
const allowedOf = (check: () => void, tries: number): number =>
  Array.from({ length: tries }).filter(() => {
    try {
      check();
      return true;
    } catch {
      return false;
    }
  }).length;

describe('the rate limit', () => {
  it('leaves each user in each project a share of their own, and fills up again with time', () => {
    let now = 0;
    const limit = createRateLimit(500, () => now);
    expect(
      allowedOf(() => {
        limit(subject('a', 'p'));
      }, 600),
    ).toBe(500);
    expect(
      allowedOf(() => {
        limit(subject('a', 'q'));
      }, 600),
    ).toBe(500);
    expect(
      allowedOf(() => {
        limit(subject('b', 'p'));
      }, 600),
    ).toBe(500);
    now = 100;
    expect(
      allowedOf(() => {
        limit(subject('a', 'p'));
      }, 600),
    ).toBe(50);
    now = 60_000;
    expect(
      allowedOf(() => {
        limit(subject('a', 'p'));
      }, 600),
    ).toBe(500);
  });
});

describe('the microversion', () => {
  it.each([
    [{}, 1],
    [{ 'x-openstack-ironic-api-version': '1.50' }, 50],
    [{ 'openstack-api-version': 'compute 2.90, baremetal 1.52' }, 52],
    [{ 'openstack-api-version': 'compute 2.90' }, 1],
    [{ 'x-openstack-ironic-api-version': '1.50', 'openstack-api-version': 'baremetal 1.50' }, 50],
    [{ 'x-openstack-ironic-api-version': 'latest', 'openstack-api-version': 'baremetal 1.65' }, 65],
  ])('of %j is 1.%d', (headers, minor) => {
    expect(negotiate(headers)).toEqual({ major: 1, minor });
  });

  it.each([
    [{ 'x-openstack-ironic-api-version': '1.0' }],
    [{ 'x-openstack-ironic-api-version': '1.66' }],
    [{ 'x-openstack-ironic-api-version': '' }],
    [{ 'x-openstack-ironic-api-version': '1.50', 'openstack-api-version': 'baremetal 1.51' }],
  ])('of %j is not served', (headers) => {
    expect(() => negotiate(headers)).toThrow(expect.objectContaining({ status: 406 }));
  });
});

describe('the resource that a request names', () => {
  const show = ROUTES.find(({ method, path }) => method === 'GET' && path === '/v1/nodes/{ident}');
  const named = (ident: string): boolean | undefined =>
    show === undefined
      ? undefined
      : namedResource(show, new Map([['ident', ident]]), new Map())?.known;

  it('may be a uuid or a name', () => {
    expect(named('ed836491-07b5-49e8-95fc-6a53acab893b')).toBe(true);
    expect(named('rack1-u01')).toBe(true);
  });

  it('is not looked up when its name is longer than any', () => {
    expect(named('n'.repeat(255))).toBe(true);
    expect(named('n'.repeat(256))).toBe(false);
  });
});
