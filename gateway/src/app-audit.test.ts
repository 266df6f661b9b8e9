import { afterEach, describe, expect, it } from '@jest/globals';
import { AppError, UnavailableError } from '@tenure/contracts';
import { unauthorized } from '@tenure/tokens';
import { startTestGateway, type TestGateway } from './testing/test-gateway.js';

let gateway: TestGateway;
afterEach(() => gateway.stop());

describe('a request without authentication', () => {
  it.each<[what: string, thrown: AppError, status: number, reason: string]>([
    ['refused', unauthorized('wrong name or password'), 401, 'wrong name or password'],
    ['rate-limited', new AppError('too_many_requests', 429, 'Later.'), 429, 'too_many_requests'],
    ['impossible to authenticate now', new UnavailableError('Later.'), 503, 'unavailable'],
  ])('is recorded once when it is %s', async (_what, thrown, status, reason) => {
    gateway = await startTestGateway({
      authenticator: { authenticate: () => Promise.reject(thrown) },
    });
    const response = await gateway.fetch('/v1/nodes/n1?fields=name', {
      headers: { 'X-Auth-Token': 'secret-token' },
    });
    expect(response.status).toBe(status);
    expect(gateway.refusals).toEqual([
      {
        requestId: response.headers.get('x-openstack-request-id'),
        address: '127.0.0.1',
        method: 'GET',
        path: '/v1/nodes/n1',
        reason,
      },
    ]);
  });

  it.each<[what: string, proxies: readonly string[], address: string]>([
    ['its own, whatever it says, when no proxy is trusted', [], '127.0.0.1'],
    ['the one that a trusted proxy reports', ['127.0.0.1'], '2001:db8:1:2::9'],
  ])('is recorded, with the address: %s', async (_what, trustedProxies, address) => {
    const networks: string[] = [];
    gateway = await startTestGateway({
      trustedProxies,
      authenticator: {
        authenticate: (attempt) => {
          networks.push(attempt.address);
          throw unauthorized('wrong name or password');
        },
      },
    });
    await gateway.fetch('/v1/nodes', {
      headers: { 'X-Forwarded-For': '192.0.2.1, 2001:DB8:1:2::9' },
    });
    expect(gateway.refusals.map((refusal) => refusal.address)).toEqual([address]);
    expect(networks).toEqual([trustedProxies.length === 0 ? address : '2001:db8:1:2::/64']);
  });
});
