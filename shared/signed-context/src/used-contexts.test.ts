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

describe('contexts that were used', () => {
  it('are refused when they are used again, as long as they are fresh', () => {
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

  it('are told apart by who signed them', () => {
    const used = createUsedContexts();
    used.use(context('a'));
    expect(() => {
      used.use(context('a', NOW + 10, 'conductor'));
    }).not.toThrow();
  });

  it('are refused with 503 when no more can be remembered, and have room again when the others ended', () => {
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
