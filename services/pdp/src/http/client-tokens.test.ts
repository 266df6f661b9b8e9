import { describe, expect, it } from '@jest/globals';
import { createClientCheck, isLoopback } from './client-tokens.js';

describe('createClientCheck', () => {
  const check = createClientCheck('first-token-0123456789\n\nsecond-token-0123456789\n');

  it.each(['Bearer first-token-0123456789', 'bearer second-token-0123456789'])(
    'lets in %s',
    (authorization) => {
      expect(check(authorization)).toBe(true);
    },
  );

  it.each([
    undefined,
    '',
    'Bearer ',
    'first-token-0123456789',
    'Basic first-token-0123456789',
    'Bearer first-token-012345678',
    'Bearer first-token-0123456789 ',
    'Bearer first-token-0123456789 x',
  ])('keeps out %j', (authorization) => {
    expect(check(authorization)).toBe(false);
  });

  it('refuses a file without tokens, and guessable ones', () => {
    expect(() => createClientCheck('\n\n')).toThrow('holds no token');
    expect(() => createClientCheck('short')).toThrow('shorter than 16');
  });
});

describe('isLoopback', () => {
  it.each(['127.0.0.1', '127.1.2.3', '::1', 'localhost'])('%s is', (host) => {
    expect(isLoopback(host)).toBe(true);
  });

  it.each(['0.0.0.0', '::', '10.0.0.1', '127.evil.example', ''])('%s is not', (host) => {
    expect(isLoopback(host)).toBe(false);
  });
});
