/** Numbers from a seed: the same seed gives the same numbers, on every machine. */
export interface Random {
  /** At least 0, less than 1. */
  readonly next: () => number;
  /** A whole number, at least `from` and at most `to`. */
  readonly between: (from: number, to: number) => number;
  readonly pick: <T>(all: readonly T[]) => T;
  /** Numbers of their own for a purpose: how many others take does not change them. */
  readonly fork: (purpose: string) => Random;
}

/** @param seed a whole number; the generator is mulberry32 */
export function randomFrom(seed: number): Random {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    return mixed(state) / 2 ** 32;
  };
  const between = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1));
  return {
    next,
    between,
    pick: <T>(all: readonly T[]): T => {
      if (all.length === 0) throw new Error('nothing to pick from');
      return all[between(0, all.length - 1)] as T; // an index within
    },
    fork: (purpose) => randomFrom(mixed(seed ^ hashOf(purpose))),
  };
}

function mixed(value: number): number {
  let one = Math.imul(value ^ (value >>> 15), 1 | value);
  one = (one + Math.imul(one ^ (one >>> 7), 61 | one)) ^ one;
  return (one ^ (one >>> 14)) >>> 0;
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const letter of text) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193);
  return hash >>> 0;
}
