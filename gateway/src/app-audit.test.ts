import { afterEach, describe, expect, it } from '@jest/globals';
import { AppError, UnavailableError } from '@tenure/contracts';
import { unauthorized } from '@tenure/tokens';
import { startTestGateway, type TestGateway } from './testing/test-gateway.js';

let gateway: TestGateway;
afterEach(() => gateway.stop());

describe('a request whose sender is not known', () => {
  it.each<[what: string, thrown: AppError, status: number, reason: string]>([
    ['refused', unauthorized('wrong name or password'), 401, 'wrong name or password'],
    ['shut out', new AppError('too_many_requests', 429, 'Later.'), 429, 'too_many_requests'],
    ['not to be known now', new UnavailableError('Later.'), 503, 'unavailable'],
  ])('is on record once when it is %s', async (_what, thrown, status, reason) => {
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
});
