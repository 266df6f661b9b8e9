import { describe, expect, it } from '@jest/globals';
import { isAllTenants } from './all-tenants.js';
import { AccessDeniedError, AppError, NotFoundError } from './errors.js';
import { keypairUser } from './keypair-user.js';
import { formatMicroversion } from './microversion.js';
import { toNovaBody } from './nova-error.js';
import { parseNovaMicroversion } from './nova-microversion.js';

describe('the microversion that a request asks of the compute API', () => {
  const versionOf = (common?: string, own?: string): string =>
    formatMicroversion(parseNovaMicroversion({ common, own }));

  it.each([
    [undefined, undefined, '2.1'],
    ['compute 2.53', undefined, '2.53'],
    [undefined, '2.53', '2.53'],
    ['baremetal 1.65', undefined, '2.1'],
    ['baremetal 1.65, compute 2.60', undefined, '2.60'],
    ['compute latest', undefined, '2.93'],
    [undefined, 'LATEST', '2.93'],
    ['compute 2.93', undefined, '2.93'],
  ])('of %j and %j is %s or %s', (common, own, expected) => {
    expect(versionOf(common, own)).toBe(expected);
  });

  it('is the one of the common header when the two differ, as in Nova', () => {
    expect(versionOf('compute 2.60', '2.53')).toBe('2.60');
  });

  it.each(['2.0', '2.94', '1.1', '3.1', '2.999'])(
    'is refused with 406 when it is %s',
    (requested) => {
      expect(() => versionOf(undefined, requested)).toThrow(
        expect.objectContaining({
          status: 406,
          message: `Version ${requested} is not supported by the API. Minimum is 2.1 and maximum is 2.93.`,
        }),
      );
    },
  );

  it.each(['2', '2.', 'two', '2.01', '2.1.1', '-2.1', '2.1 2.2', ''])(
    'is refused with 400 when it is %j',
    (requested) => {
      expect(() => versionOf(undefined, requested)).toThrow(
        expect.objectContaining({ status: 400 }),
      );
    },
  );
});

describe("Nova's error body", () => {
  it.each([
    [400, 'badRequest'],
    [401, 'unauthorized'],
    [403, 'forbidden'],
    [404, 'itemNotFound'],
    [405, 'badMethod'],
    [406, 'computeFault'],
    [409, 'conflictingRequest'],
    [413, 'overLimit'],
    [415, 'badMediaType'],
    [500, 'computeFault'],
    [501, 'notImplemented'],
    [502, 'computeFault'],
    [503, 'serviceUnavailable'],
  ])('calls a %d %s', (status, name) => {
    expect(toNovaBody(new AppError('x', status, 'No.'))).toEqual({
      [name]: { code: status, message: 'No.' },
    });
  });

  it('names the rule that a denied caller needs, in the message format of Nova’s clients', () => {
    expect(toNovaBody(new AccessDeniedError('os_compute_api:servers:delete'))).toEqual({
      forbidden: {
        code: 403,
        message: "Policy doesn't allow os_compute_api:servers:delete to be performed.",
      },
    });
  });

  it('says when to come again', () => {
    const error = new AppError('x', 429, 'Too many.', { headers: { 'Retry-After': '1' } });
    expect(toNovaBody(error)).toEqual({
      overLimit: { code: 429, message: 'Too many.', retryAfter: '1' },
    });
    expect(toNovaBody(new NotFoundError('No.'))).toEqual({
      itemNotFound: { code: 404, message: 'No.' },
    });
  });
});

describe('all_tenants', () => {
  it.each([
    [undefined, false],
    ['', true],
    ['1', true],
    ['True', true],
    [' yes ', true],
    ['0', false],
    ['False', false],
    ['off', false],
  ])('of %j is %s', (value, expected) => {
    expect(isAllTenants(value)).toBe(expected);
  });

  it.each(['2', 'None', 'maybe', ' '])('is neither yes nor no when it is %j', (value) => {
    expect(() => isAllTenants(value)).toThrow(expect.objectContaining({ status: 400 }));
  });
});

describe('the owner of the key pairs of a request', () => {
  it.each([
    [undefined, 'ann'],
    ['', 'ann'],
    ['ben', 'ben'],
  ])('is, when it names %j, %s', (named, expected) => {
    expect(keypairUser(named, 'ann')).toBe(expected);
  });
});
