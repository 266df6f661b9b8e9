/** Reads of members and keys, on objects of any depth. */
export interface ReadCounter {
  readonly counted: <T>(value: T) => T;
  readonly reads: () => number;
}

/** Counts what is read of the values that it hands out; nothing is counted twice for being nested. */
export const createReadCounter = (): ReadCounter => {
  let reads = 0;
  const known = new WeakMap<object, object>();
  const counted = <T>(value: T): T => {
    if (typeof value !== 'object' || value === null) return value;
    const before = known.get(value);
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
    known.set(value, proxy);
    return proxy;
  };
  return { counted, reads: () => reads };
};

/**
 * How much faster than its input the work grows, at worst, when the input doubles again and again: 1 is in proportion,
 * 2 is the square.
 * @param stepsFor the steps for an input of a size
 */
export const growthOf = (
  stepsFor: (size: number) => number,
  { from = 64, doublings = 4 } = {},
): number => {
  const sizes = Array.from({ length: doublings + 1 }, (_, at) => from * 2 ** at);
  const steps = sizes.map(stepsFor);
  const ratios = steps.slice(1).map((after, at) => after / Math.max(steps[at] ?? 0, 1));
  return Math.max(...ratios.map((ratio) => Math.log2(ratio)));
};

/** Of n log n, from 64 on: log2(2 × 7 / 6) is 1.22. */
export const N_LOG_N = 1.25;

const many = (size: number): readonly number[] => Array.from({ length: size }, (_, at) => at);

/** An object of so many members. */
export const membersNamed = (
  size: number,
  nameOf: (at: number) => string,
  value: unknown = 1,
): Record<string, unknown> => Object.fromEntries(many(size).map((at) => [nameOf(at), value]));

/** A list of so many things. */
export const listOf = <T>(size: number, thing: (at: number) => T): readonly T[] =>
  many(size).map(thing);

/**
 * Reads of what a client sent or stored, per doubling.
 * @param work what is done on a value of a size; `counted` counts what is read of what it is given
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
