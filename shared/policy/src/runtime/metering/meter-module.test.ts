import { describe, expect, it } from '@jest/globals';
import { FUEL_EXPORT, meterModule, MOST_FUEL } from './meter-module.js';

const section = (id: number, ...content: readonly number[]): readonly number[] => [
  id,
  content.length,
  ...content,
];

/**
 * A module that imports the global `m.g` (i32), has another one, and exports the function `f: i32 -> i32` with this code.
 */
const moduleOf = (...code: readonly number[]): Buffer =>
  Buffer.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, 1, 0x60, 1, 0x7f, 1, 0x7f),
    ...section(2, 1, 1, 0x6d, 1, 0x67, 0x03, 0x7f, 0x00),
    ...section(3, 1, 0),
    ...section(6, 1, 0x7f, 0x00, 0x41, 7, 0x0b),
    ...section(7, 1, 1, 0x66, 0x00, 0),
    ...section(10, 1, code.length + 1, 0, ...code),
  ]);

const END = 0x0b;
const LOCAL = [0x20, 0] as const;

/** `loop { if (x == 0) return 7 + g; x = x - 1; again }` */
const COUNT_DOWN = [
  ...[0x03, 0x40],
  ...[...LOCAL, 0x45, 0x04, 0x40, 0x23, 1, 0x23, 0, 0x6a, 0x0f, END],
  ...[...LOCAL, 0x41, 1, 0x6b, 0x21, 0, 0x0c, 0],
  ...[END, 0x00, END],
];

async function run(wasm: Buffer) {
  const { instance } = await WebAssembly.instantiate(meterModule(wasm), { m: { g: 1 } });
  const f = instance.exports['f'] as (argument: number) => number; // every module of moduleOf exports it
  const fuel = instance.exports[FUEL_EXPORT] as WebAssembly.Global; // the metering exports it
  return { f, fuel };
}

describe('a metered module', () => {
  it('gives the answers that it gave before', async () => {
    const { f } = await run(moduleOf(...COUNT_DOWN));
    expect([f(0), f(5), f(100_000)]).toEqual([8, 8, 8]);
  });

  it('pays for the function and for every round of a loop', async () => {
    const { f, fuel } = await run(moduleOf(...COUNT_DOWN));
    expect(fuel.value).toBe(MOST_FUEL);
    fuel.value = 100;
    f(0);
    // one unit for the function and one for the round in which it returned
    expect(fuel.value).toBe(98);
    f(9);
    expect(fuel.value).toBe(87);
  });

  it('stops when its fuel is used up, in the middle of a loop', async () => {
    const { f, fuel } = await run(moduleOf(...COUNT_DOWN));
    fuel.value = 1000;
    expect(() => f(998)).not.toThrow();
    fuel.value = 1000;
    expect(() => f(1_000_000)).toThrow('unreachable');
    expect(fuel.value).toBe(-1);
  });

  it('stops a loop that has no end', async () => {
    const { f, fuel } = await run(moduleOf(0x03, 0x40, 0x0c, 0, END, 0x00, END));
    fuel.value = 100_000;
    expect(() => f(1)).toThrow('unreachable');
  });

  it('stops functions that call each other without end', async () => {
    const { f, fuel } = await run(moduleOf(...LOCAL, 0x10, 0, END));
    fuel.value = 50;
    expect(() => f(1)).toThrow('unreachable');
  });

  it('pays for long code by its length, before it runs', async () => {
    const idle = Array.from({ length: 60 }, () => 0x01);
    const { f, fuel } = await run(moduleOf(...idle, ...LOCAL, END));
    fuel.value = 4;
    // sixty-two instructions, sixteen for a unit
    expect(f(3)).toBe(3);
    expect(fuel.value).toBe(0);
    fuel.value = 3;
    expect(() => f(3)).toThrow('unreachable');
  });

  it('keeps tables of branches, long constants and memory instructions as they are', async () => {
    const table = [0x02, 0x40, 0x02, 0x40, ...LOCAL, 0x0e, 2, 0, 1, 0, END, END];
    const constants = [
      0x42, 0xff, 0xff, 0xff, 0xff, 0xff, 0x1f, 0x1a, 0x44, 1, 2, 3, 4, 5, 6, 7, 8, 0x1a,
    ];
    const { f } = await run(moduleOf(...table, ...constants, ...LOCAL, END));
    expect(f(2)).toBe(2);
  });
});

describe('a module that cannot be metered', () => {
  it.each([
    ['is none', Buffer.from('nonsense'), 'it is no WebAssembly 1.0'],
    ['is cut off', moduleOf(...COUNT_DOWN).subarray(0, 60), 'it ends too early'],
    ['is empty', Buffer.alloc(0), 'it ends too early'],
    ['has a tail call', moduleOf(...LOCAL, 0x12, 0, END), 'it has the instruction 0x12'],
    ['fills memory', moduleOf(...LOCAL, 0xfc, 11, 0, END), 'it has the instruction 0xfc 11'],
    ['has a function without end', moduleOf(0x02, 0x40, ...LOCAL, END), 'a function has no end'],
    ['goes on behind its end', moduleOf(...LOCAL, END, 0x01), 'a function goes on behind its end'],
  ])('is refused when it %s', (_what, wasm, message) => {
    expect(() => meterModule(wasm)).toThrow(`policy.wasm cannot be metered: ${message}`);
  });
});
