import { describe, expect, it } from '@jest/globals';
import { AppError } from '@tenure/contracts';
import { refusalFor, retryHeadersFor } from './retry-after.js';

const headers = { 'Retry-After': '1', 'X-Other': 'kept' };
const refusal = new AppError('too_many_requests', 429, 'Too many.', { headers });
const IRONICCLIENT = { 'user-agent': 'openstacksdk/4.22.0 python-ironicclient' };
const SDK = { 'user-agent': 'openstacksdk/4.22.0 keystoneauth1/5.18.1' };

describe('a refusal with Retry-After', () => {
  it('is unchanged for clients that handle the header', () => {
    for (const client of [SDK, {}]) expect(refusalFor(client, refusal)).toBe(refusal);
    expect(retryHeadersFor(SDK, { 'retry-after': '2' })).toEqual({ 'retry-after': '2' });
  });

  it('becomes a 503 without it for python-ironicclient, which retries only after that', () => {
    expect(refusalFor(IRONICCLIENT, refusal)).toMatchObject({
      code: 'too_many_requests',
      status: 503,
      message: 'Too many.',
      headers: { 'X-Other': 'kept' },
    });
    expect(refusalFor(IRONICCLIENT, refusal).headers).not.toHaveProperty('Retry-After');
    expect(retryHeadersFor(IRONICCLIENT, { 'retry-after': '2', etag: 'x' })).toEqual({ etag: 'x' });
  });

  it('does not affect other errors', () => {
    const missing = new AppError('not_found', 404, 'Missing.');
    expect(refusalFor(IRONICCLIENT, missing)).toBe(missing);
  });
});
