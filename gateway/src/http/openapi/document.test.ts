import { describe, expect, it } from '@jest/globals';
import { Type } from '@sinclair/typebox';
import { matches } from '@tenure/contracts';
import { ANSWER } from '../../routes/answers.js';
import { ROUTES } from '../../routes/route-table.js';
import { type Route } from '../../routes/route.js';
import { describeRoutes } from './document.js';

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly Readonly<Record<string, unknown>>[];
  readonly responses: Readonly<Record<string, unknown>>;
  readonly [member: string]: unknown;
}

const description = describeRoutes(ROUTES);
const { paths, components } = description;
const operations = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    path,
    method: method.toUpperCase(),
    operation: operation as Operation, // what the builder makes
  })),
);
function operationAt(method: string, path: string): Operation {
  const found = operations.find((one) => one.method === method && one.path === path);
  if (found === undefined) throw new Error(`no ${method} ${path}`);
  return found.operation;
}
const statuses = (method: string, path: string): string =>
  Object.keys(operationAt(method, path).responses).join(' ');

const $defs = JSON.parse(
  JSON.stringify(components['schemas']).replaceAll('#/components/schemas/', '#/$defs/'),
) as object;
const fits = (name: string, value: unknown): boolean =>
  matches(Type.Unsafe({ $defs, $ref: `#/$defs/${name}` }), value);

const allRefs = [...JSON.stringify(description).matchAll(/"\$ref":"#\/([^"]+)"/gu)].map(
  ([, place]) => place ?? '',
);

const NODE = 'a0000000-0000-4000-8000-000000000001';
const links = [{ href: `http://127.0.0.1:6385/v1/nodes/${NODE}`, rel: 'self' }];

describe('the description of the API', () => {
  it('has every row of the table and nothing else', () => {
    const described = operations.map(({ method, path }) => `${method} ${path}`);
    expect(described.toSorted()).toEqual(ROUTES.map((r) => `${r.method} ${r.path}`).toSorted());
  });

  it('gives every operation a unique name', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each([
    ['GET', '/', 'getRoot'],
    ['GET', '/v1/nodes', 'getNodes'],
    ['GET', '/v1/nodes/{ident}', 'getNode'],
    ['PUT', '/v1/nodes/{ident}/states/boot_mode', 'putNodeStatesBootMode'],
    ['GET', '/v1/nodes/{ident}/bios/{setting}', 'getNodeBiosBySetting'],
    ['DELETE', '/v1/chassis/{ident}', 'deleteChassisByIdent'],
    ['POST', '/v2.1/servers/{ident}/action', 'postServerAction'],
    ['GET', '/v2.1', 'getV21'],
  ])('calls %s %s %s', (method, path, name) => {
    expect(operationAt(method, path).operationId).toBe(name);
  });

  it('refers to nothing that it does not have', () => {
    const missing = allRefs.filter((place) => {
      const [, kind = '', name = ''] = place.split('/');
      return components[kind]?.[name] === undefined;
    });
    expect(missing).toEqual([]);
  });

  it('declares every segment in braces', () => {
    for (const { path, operation } of operations) {
      const declared = operation.parameters.filter((one) => one['in'] === 'path');
      expect(declared.map(({ name }) => `{${String(name)}}`)).toEqual(
        path.match(/\{\w+\}/gu) ?? [],
      );
    }
  });

  it('contains the action and the first microversion of each operation', () => {
    expect(operationAt('PUT', '/v1/nodes/{ident}/states/boot_mode')).toMatchObject({
      'x-tenure-action': 'baremetal:node:set_boot_mode',
      'x-tenure-since': '1.76',
      security: [{ token: [] }, { bearer: [] }],
    });
    expect(operationAt('GET', '/v1/lookup')).toMatchObject({
      'x-tenure-action': 'baremetal:driver:ipa_lookup',
      'x-tenure-since': '1.22',
      security: [],
    });
    expect(operationAt('GET', '/')['x-tenure-action']).toBeUndefined();
  });

  it('says of the compute API what is its own', () => {
    const list = operationAt('GET', '/v2.1/servers');
    expect(list).toMatchObject({
      'x-tenure-actions': [
        'os_compute_api:servers:index',
        'os_compute_api:servers:index:get_all_tenants',
      ],
      'x-tenure-since': '2.1',
      responses: { 403: { $ref: '#/components/responses/ComputeForbidden' } },
    });
    expect(list.parameters[0]).toEqual({
      $ref: '#/components/parameters/ComputeMicroversion',
    });
    expect(list.parameters.find(({ name }) => name === 'status')).toMatchObject({
      description: 'Servers in this status.',
    });
    expect(
      operationAt('GET', '/v1/leases').parameters.find(({ name }) => name === 'status'),
    ).toMatchObject({ description: 'Leases with this status.' });
    expect(components['responses']?.['ComputeForbidden']).toMatchObject({
      content: { 'application/json': { schema: { $ref: '#/components/schemas/ComputeError' } } },
    });
  });

  it('accepts one server action at a time', () => {
    const { requestBody } = operationAt('POST', '/v2.1/servers/{ident}/action');
    expect(requestBody).toMatchObject({
      required: true,
      content: {
        'application/json': {
          schema: { additionalProperties: false, minProperties: 1, maxProperties: 1 },
        },
      },
    });
  });

  it.each([
    ['GET', '/', '200 400 406 414 417 431 500 502 503 504'],
    ['GET', '/openapi.json', '200 304 400 406 414 417 429 431 500'],
    ['GET', '/v1/nodes', '200 400 401 403 404 406 414 417 429 431 500 502 503 504'],
    ['GET', '/v1/shards', '200 400 401 403 404 406 414 417 429 431 500 502 503 504'],
    ['GET', '/v1/drivers', '200 400 401 403 406 414 417 429 431 500 502 503 504'],
    [
      'POST',
      '/v1/nodes',
      '201 400 401 403 406 408 409 413 414 415 417 429 431 500 502 503 504 507',
    ],
    [
      'POST',
      '/v1/allocations',
      '201 400 401 403 405 406 408 409 413 414 415 417 429 431 500 502 503 504',
    ],
    [
      'GET',
      '/v1/nodes/{ident}/vendor_passthru',
      '200 202 400 401 403 404 406 409 414 417 429 431 500 502 503 504',
    ],
    [
      'POST',
      '/v2.1/servers/{ident}/action',
      '200 202 204 400 401 403 404 406 408 409 413 414 415 417 429 431 500 501 502 503 504',
    ],
    ['GET', '/v2.1/servers', '200 400 401 403 406 414 417 429 431 500 502 503 504'],
    [
      'POST',
      '/v1/heartbeat/{ident}',
      '202 400 404 406 408 409 413 414 415 417 429 431 500 502 503 504',
    ],
  ])('lets %s %s answer %s', (method, path, expected) => {
    expect(statuses(method, path)).toBe(expected);
  });

  it('requires the same body as the gateway', () => {
    expect(operationAt('PUT', '/v1/nodes/{ident}/maintenance')['requestBody']).toEqual({
      required: false,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            additionalProperties: false,
            properties: {
              reason: { anyOf: [{ type: 'string', maxLength: 4096 }, { type: 'null' }] },
            },
          },
        },
      },
    });
    expect(operationAt('GET', '/v1/nodes/{ident}')['requestBody']).toBeUndefined();
  });

  it('accepts only uuids where only these are looked up', () => {
    const schemaOf = (path: string): unknown =>
      operationAt('DELETE', path).parameters.find(({ name }) => name === 'ident')?.['schema'];
    expect(schemaOf('/v1/chassis/{ident}')).toMatchObject({ format: 'uuid' });
    expect(schemaOf('/v1/nodes/{ident}')).toEqual({ type: 'string', minLength: 1, maxLength: 255 });
  });

  it.each([
    ['X-Tenure-Policy-Filter', 'GET', '/v1/nodes 200', true],
    ['X-Tenure-Policy-Filter', 'GET', '/v1/nodes/{ident} 200', false],
    ['Location', 'POST', '/v1/ports 201', true],
    ['Location', 'PUT', '/v1/nodes/{ident}/states/power 202', true],
    ['Location', 'PUT', '/v1/nodes/{ident}/maintenance 202', false],
    ['ETag', 'GET', '/openapi.json 200', true],
    ['ETag', 'HEAD', '/openapi.json 304', true],
    ['X-OpenStack-Request-Id', 'GET', '/v1 200', true],
  ])('declares the header %s of %s %s: %s', (header, method, answered, expected) => {
    const [path = '', status = ''] = answered.split(' ');
    const answer = operationAt(method, path).responses[status] as { readonly headers: object };
    expect(Object.hasOwn(answer.headers, header)).toBe(expected);
  });
});

describe('the schemas of answers', () => {
  it.each(Object.keys($defs))('%s can be used', (name) => {
    expect(() => fits(name, 7)).not.toThrow();
  });

  it.each([
    ['a node with only the requested fields', 'Node', { uuid: NODE, links }, true],
    [
      'a node with masked values',
      'Node',
      { driver_info: {}, reservation: true, traits: null, links },
      true,
    ],
    ['a node without links', 'Node', { uuid: NODE }, false],
    [
      'a node with a member of the store',
      'Node',
      { uuid: NODE, tenancy_revision: 1, links },
      false,
    ],
    ['a node with a null where an object is', 'Node', { driver_info: null, links }, false],
    ['a whole node that lacks most of it', 'WholeNode', { uuid: NODE, links }, false],
    ['an empty page', 'NodeList', { nodes: [] }, true],
    [
      'a page and the next',
      'NodeList',
      { nodes: [{ links }], next: 'http://h/v1/nodes?a=b' },
      true,
    ],
    ['a page of something else', 'NodeList', { ports: [] }, false],
    ['an error of Ironic', 'Error', { error_message: '{}' }, true],
    ['a problem of a service', 'Error', { type: 'about:blank', title: 'No' }, false],
  ])('match or refuse %s', (_, name, value, expected) => {
    expect(fits(name, value)).toBe(expected);
  });
});

describe('a table that cannot be described', () => {
  const route: Route = {
    api: 'baremetal',
    method: 'GET',
    path: '/v1/gadgets/{gadget}',
    summary: 'Show a gadget',
    answer: ANSWER.states,
    upstream: 'inventory',
    action: null,
    resource: null,
    body: { limit: 0, schema: null, described: null, isOptional: true, meaning: () => ({}) },
    query: new Map(),
  };

  it('has a segment in braces without a description', () => {
    expect(() => describeRoutes([route])).toThrow('no description of {gadget}');
  });

  it('has two schemas of one name', () => {
    const schema = Type.Object({}, { title: 'NodeStates' });
    const twin = { ...route, path: '/v1/a', answer: { status: 200, schema } } as const;
    expect(() => describeRoutes([{ ...route, path: '/v1/b' }, twin])).toThrow(
      'two schemas are called NodeStates',
    );
  });
});
