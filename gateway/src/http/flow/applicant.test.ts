import { describe, expect, it } from '@jest/globals';
import { type Subject } from '@tenure/contracts';
import { MATCHERS } from '../../routes/surface-routes.js';
import { applicantOf } from './applicant.js';

const subject = (project: string | null): Subject => ({
  user_id: 'u',
  project_id: project,
  system_scope: null,
  domain_id: null,
  roles: [],
});

function of(
  request: string,
  {
    query = {},
    who = subject('p'),
    bodyBytes = 0,
  }: {
    readonly query?: Readonly<Record<string, string>>;
    readonly who?: Subject | null;
    readonly bodyBytes?: number;
  } = {},
) {
  const [method = '', path = ''] = request.split(' ');
  const match = MATCHERS.all(method, path.split('/').filter(Boolean));
  if (match.kind !== 'route') throw new Error(`no route: ${request}`);
  return applicantOf({
    route: match.route,
    query: new Map(Object.entries(query)),
    subject: who,
    network: '192.0.2.1',
    bodyBytes,
  });
}

describe('a request in the queue', () => {
  it.each([
    ['GET /v1/nodes', 'list'],
    ['GET /v1/nodes/detail', 'list'],
    ['GET /v1/allocations', 'list'],
    ['GET /v2.1/servers/detail', 'list'],
    ['GET /v1/nodes/n', 'single'],
    ['PATCH /v1/nodes/n', 'single'],
    ['GET /v1/nodes/n/management/boot_device', 'single'],
    ['PUT /v1/nodes/n/states/power', 'urgent'],
    ['PUT /v1/nodes/n/states/provision', 'urgent'],
    ['POST /v1/heartbeat/n', 'urgent'],
    ['GET /v1/lookup', 'urgent'],
  ])('for %s has the class %s', (request, requestClass) => {
    expect(of(request).requestClass).toBe(requestClass);
  });

  it('has one tenant for all users of a project', () => {
    expect(of('GET /v1/nodes').tenant).toBe('project p');
    expect(of('GET /v1/nodes', { who: subject(null) }).tenant).toBe('user u');
    expect(of('GET /v1/lookup', { who: null }).tenant).toBe('network 192.0.2.1');
  });

  it('has a kind by page size, fields and body size', () => {
    const kinds = [
      of('GET /v1/nodes'),
      of('GET /v1/nodes', { query: { limit: '1' } }),
      of('GET /v1/nodes', { query: { limit: '1000' } }),
      of('GET /v1/nodes', { query: { limit: '1000', fields: 'uuid' } }),
      of('GET /v1/nodes', { query: { limit: '1000', detail: 'true' } }),
      of('GET /v1/nodes', { query: { limit: 'x' } }),
      of('PATCH /v1/nodes/n', { bodyBytes: 300 }),
      of('PATCH /v1/nodes/n', { bodyBytes: 500_000 }),
    ].map(({ kind }) => kind);
    expect(kinds).toEqual([
      'GET /v1/nodes all',
      'GET /v1/nodes 0',
      'GET /v1/nodes 5',
      'GET /v1/nodes 5 fields',
      'GET /v1/nodes 5 detail',
      'GET /v1/nodes all',
      'PATCH /v1/nodes/{ident} 0',
      'PATCH /v1/nodes/{ident} 5',
    ]);
  });
});
