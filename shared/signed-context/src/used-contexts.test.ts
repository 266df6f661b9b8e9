import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ContextReplayedError, UnavailableError } from '@tenure/contracts';
import { createUsedContexts } from './used-contexts.js';

const NOW = 1_800_000_000;
const context = (jti: string, exp = NOW + 10, iss: 'gateway' | 'conductor' = 'gateway') => ({
  iss,
  jti,
  exp,
});

beforeEach(() => {
  jest.useFakeTimers({ now: NOW * 1000 });
});

afterEach(() => {
  jest.useRealTimers();
});

describe('used contexts', () => {
  it('are refused until they expire', () => {
    const used = createUsedContexts();
    used.use(context('a'));
    expect(() => {
      used.use(context('a'));
    }).toThrow(ContextReplayedError);
    jest.setSystemTime((NOW + 12) * 1000); // their end, and the clocks' difference
    used.use(context('b', NOW + 22));
    expect(() => {
      used.use(context('a'));
    }).toThrow(ContextReplayedError);
  });

  it('are distinguished by their signer', () => {
    const used = createUsedContexts();
    used.use(context('a'));
    expect(() => {
      used.use(context('a', NOW + 10, 'conductor'));
    }).not.toThrow();
  });

  it('are refused with 503 at the capacity, until others expire', () => {
    const used = createUsedContexts(2);
    used.use(context('a'));
    used.use(context('b', NOW + 9));
    const one = (jti: string, exp: number) => () => {
      used.use(context(jti, exp));
    };
    expect(one('c', NOW + 10)).toThrow(UnavailableError);
    expect(one('a', NOW + 10)).toThrow(ContextReplayedError);
    jest.setSystemTime((NOW + 11.5) * 1000); // b's end, and the clocks' difference
    expect(one('c', NOW + 21)).not.toThrow();
    expect(one('d', NOW + 21)).toThrow(UnavailableError);
  });
});
