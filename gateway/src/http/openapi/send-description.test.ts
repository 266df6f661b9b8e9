import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.js';

describe('GET /openapi.json', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway();
  });
  afterAll(() => gateway.stop());

  const ask = (init: RequestInit = {}): Promise<Response> =>
    fetch(`${gateway.url}/openapi.json`, init);

  it('describes the API without a token and without a call to any service', async () => {
    const answer = await ask();
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.get('cache-control')).toBe('public, max-age=300');
    expect(answer.headers.get('x-openstack-request-id')).toMatch(/^req-/u);
    expect(await answer.json()).toMatchObject({
      openapi: '3.1.1',
      paths: { '/v1/nodes': { get: { operationId: 'getNodes' } } },
    });
    const { pdp, inventory, conductor, allocation } = gateway;
    for (const part of [pdp, inventory, conductor, allocation]) expect(part.received).toEqual([]);
  });

  it('is a 304 when the client has the current one', async () => {
    const etag = (await ask()).headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]{43}"$/u);
    for (const condition of [etag, `"other", W/${etag}`, '*']) {
      const answer = await ask({ headers: { 'If-None-Match': condition } });
      expect([answer.status, answer.headers.get('etag'), await answer.text()]).toEqual([
        304,
        etag,
        '',
      ]);
    }
    expect((await ask({ headers: { 'If-None-Match': '"other"' } })).status).toBe(200);
  });

  it('answers HEAD with the headers alone', async () => {
    const whole = await ask();
    const answer = await ask({ method: 'HEAD' });
    expect([answer.status, await answer.text()]).toEqual([200, '']);
    for (const name of ['etag', 'content-length', 'content-type'])
      expect(answer.headers.get(name)).toBe(whole.headers.get(name));
  });

  it('names the allowed methods, also to TRACE', async () => {
    const allowed = await new Promise((resolve, reject) => {
      const options = { port: gateway.port, path: '/openapi.json', method: 'TRACE' };
      request(options, ({ statusCode, headers }) => {
        resolve([statusCode, headers.allow, headers.connection]);
      })
        .on('error', reject)
        .end();
    });
    expect(allowed).toEqual([405, 'GET, HEAD', 'close']);
  });

  it('accepts no other method', async () => {
    const answer = await ask({ method: 'POST' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([401, null]);
  });
});
