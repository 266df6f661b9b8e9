import { describe, expect, it } from '@jest/globals';
import { checkHeaders } from './headers.js';
import { parseQuery } from './query.js';

const many = (size: number): readonly number[] => Array.from({ length: size }, (_, at) => at);

/** The exponent of growth when the input doubles: 1 is linear, 2 quadratic. */
function growthOf(stepsFor: (size: number) => number, sizes: readonly number[]): number {
  const steps = sizes.map(stepsFor);
  return Math.max(
    ...steps.slice(1).map((after, at) => Math.log2(after / Math.max(steps[at] ?? 0, 1))),
  );
}

// Of n log n, from 12 on.
const N_LOG_N = 1.4;

describe('the steps of checking a request grow no faster than n log n', () => {
  it('with the number of its headers', () => {
    const readsFor = (size: number): number => {
      let reads = 0;
      const raw = ['host', 'h', ...many(size).flatMap((at) => [`x-header-${String(at)}`, 'v'])];
      const counted = new Proxy(raw, {
        get: (target, key) => {
          reads += 1;
          return Reflect.get(target, key) as unknown;
        },
      });
      checkHeaders('GET', counted);
      return reads;
    };
    expect(growthOf(readsFor, [12, 24, 48, 96])).toBeLessThanOrEqual(N_LOG_N);
    expect(() => readsFor(100)).toThrow('too many headers');
  });

  it('with the number of its query keys', () => {
    const lookupsFor = (size: number): number => {
      let lookups = 0;
      const keys = new Set(many(size).map((at) => `k${String(at)}`));
      const has = keys.has.bind(keys);
      keys.has = (key) => {
        lookups += 1;
        return has(key);
      };
      parseQuery([...keys].map((key) => `${key}=1`).join('&'), keys);
      return lookups;
    };
    expect(growthOf(lookupsFor, [64, 128, 256, 512])).toBeLessThanOrEqual(N_LOG_N);
  });
});
