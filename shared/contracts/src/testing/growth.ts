/** Reads of members and keys, on objects of any depth. */
export interface ReadCounter {
  readonly counted: <T>(value: T) => T;
  readonly reads: () => number;
}

/** The exponent of n log n, from 64 on: log2(2 × 7 / 6) is 1.22. */
export const N_LOG_N = 1.25;

/** Counts the reads of the values that it wraps, at any depth, each read once. */
export function createReadCounter(): ReadCounter {
  let reads = 0;
  const proxies = new WeakMap<object, object>();
  const counted = <T>(value: T): T => {
    if (typeof value !== 'object' || value === null) return value;
    const before = proxies.get(value);
    if (before !== undefined) return before as T; // the proxy of this very value
    const proxy: T & object = new Proxy(value, {
      get: (target, key) => {
        reads += 1;
        return counted(Reflect.get(target, key) as unknown);
      },
      has: (target, key) => {
        reads += 1;
        return Reflect.has(target, key);
      },
      getOwnPropertyDescriptor: (target, key) => {
        reads += 1;
        return Reflect.getOwnPropertyDescriptor(target, key);
      },
      ownKeys: (target) => {
        const keys = Reflect.ownKeys(target);
        reads += keys.length;
        return keys;
      },
    });
    proxies.set(value, proxy);
    return proxy;
  };
  return { counted, reads: () => reads };
}

/**
 * The exponent of growth: the largest binary logarithm of the ratio of steps when the input doubles. 1 is linear, 2 quadratic.
 * @param stepsFor the steps for an input of a size
 */
export function growthOf(
  stepsFor: (size: number) => number,
  { from = 64, doublings = 4 } = {},
): number {
  const sizes = Array.from({ length: doublings + 1 }, (_, at) => from * 2 ** at);
  const steps = sizes.map(stepsFor);
  const ratios = steps.slice(1).map((after, at) => after / Math.max(steps[at] ?? 0, 1));
  return Math.max(...ratios.map((ratio) => Math.log2(ratio)));
}

/** An object with `size` members. */
export const membersNamed = (
  size: number,
  nameOf: (at: number) => string,
  value: unknown = 1,
): Record<string, unknown> => Object.fromEntries(many(size).map((at) => [nameOf(at), value]));

/** A list with `size` items. */
export const listOf = <T>(size: number, itemAt: (at: number) => T): readonly T[] =>
  many(size).map(itemAt);

/**
 * The growth of the number of reads.
 * @param work runs on values of a size; `counted` wraps a value to count its reads
 */
export const growthOfReads = (
  work: (counted: ReadCounter['counted'], size: number) => unknown,
  options?: Parameters<typeof growthOf>[1],
): number =>
  growthOf((size) => {
    const { counted, reads } = createReadCounter();
    work(counted, size);
    return reads();
  }, options);

const many = (size: number): readonly number[] => Array.from({ length: size }, (_, at) => at);
