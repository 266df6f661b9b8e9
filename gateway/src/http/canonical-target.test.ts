import { type IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { type RouteMatch } from '../routes/match-route.js';
import { canonical } from './canonical-target.js';
import { type StrictRequest } from './strict-http/check-request.js';
import { parseTarget } from './strict-http/target.js';

const UUID = 'ed836491-07b5-49e8-95fc-6a53acab893b';
const ROUTES = /^(?:v1(?:\/(?:nodes|ports)(?:\/[^/]+(?:\/states)?)?)?|openapi\.json)?$/u;

const matchOf = (segments: readonly string[]): RouteMatch =>
  ROUTES.test(segments.join('/'))
    ? { kind: 'wrong_method', allow: [], routes: [] }
    : { kind: 'unknown' };

/** The target of the decision and the forwarded one. */
function targetsOf(url: string, version?: string): readonly string[] {
  const request = {
    url,
    headers: version === undefined ? {} : { 'x-openstack-ironic-api-version': version },
  } as unknown as IncomingMessage; // as much of a request as is looked at
  const strict = { method: 'GET', target: parseTarget(url), headers: {} } as StrictRequest;
  const { target } = canonical(request, strict, matchOf).strict;
  return [`/${target.segments.join('/')}`, target.path, request.url ?? ''];
}

describe('a path without version', () => {
  it.each([
    ['/nodes', '/v1/nodes', '/v1/nodes', '/v1/nodes'],
    ['/nodes/n1/?a=b', '/v1/nodes/n1', '/v1/nodes/n1/', '/v1/nodes/n1/?a=b'],
    ['/nodes/a%20b', '/v1/nodes/a b', '/v1/nodes/a%20b', '/v1/nodes/a%20b'],
  ])('%s is one of v1', (url, ...expected) => {
    expect(targetsOf(url)).toEqual(expected);
  });

  it.each(['/', '/v1', '/v1/nodes?a=b', '/openapi.json', '/v2/nodes', '/v1/x', '/x', '/internal'])(
    'is no name for what has one or is not there: %s',
    (url) => {
      expect(targetsOf(url)[2]).toBe(url);
    },
  );
});

describe('`.json` behind a uuid', () => {
  it.each([undefined, '1.1', '1.90'])('is not part of it in version %s', (version) => {
    expect(targetsOf(`/v1/nodes/${UUID}.json?fields=uuid`, version)).toEqual([
      `/v1/nodes/${UUID}`,
      `/v1/nodes/${UUID}`,
      `/v1/nodes/${UUID}?fields=uuid`,
    ]);
  });

  it('goes with a slash that follows, and with a version that is missing', () => {
    expect(targetsOf(`/nodes/${UUID}.json/`, '1.65')[2]).toBe(`/v1/nodes/${UUID}`);
  });

  it.each([
    [`/v1/nodes/${UUID}.json`, '1.91'],
    [`/v1/nodes/${UUID}.json`, 'latest'],
    [`/v1/nodes/${UUID}.json`, 'nonsense'],
    [`/v1/nodes/${UUID}.json/states`, '1.65'],
    ['/v1/nodes/rack-7.json', '1.65'],
    ['/v1/nodes.json', '1.65'],
  ])('stays everywhere else: %s in %s', (url, version) => {
    expect(targetsOf(url, version)[2]).toBe(url);
  });
});
