import { type ByteReader, malformed, readerOf, s32Bytes, u32Bytes } from './byte-reader.js';
import { meteredBody } from './function-body.js';

/** The global, a signed number of 32 bits, with the remaining fuel of a metered module. */
export const FUEL_EXPORT = 'tenure_fuel';
/** Its maximum value, which a new instance has. */
export const MOST_FUEL = 2 ** 31 - 1;

interface Section {
  readonly id: number;
  readonly content: Uint8Array;
}

const SECTION = { import: 2, global: 6, export: 7, code: 10 } as const;
const KIND = { function: 0, table: 1, memory: 2, global: 3 } as const;
const I32 = 0x7f;
const MUTABLE = 1;
const I32_CONST = 0x41;
const END = 0x0b;
const HEADER = Buffer.from([0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]);

/**
 * Rewrites a module so that every function, and every round of a loop, first subtracts the instructions that it will run from
 * an exported global. It traps when the fuel is used up, so that no input makes it run longer than its fuel allows.
 * @throws PolicyRefused for a module that is malformed or has unknown instructions
 */
export function meterModule(wasm: Uint8Array): Buffer {
  const sections = sectionsOf(wasm);
  const fuel =
    importedGlobals(contentOf(sections, SECTION.import)) +
    countOf(contentOf(sections, SECTION.global));
  const name = Buffer.from(FUEL_EXPORT);
  const change: Readonly<Record<number, (content: Uint8Array) => Buffer>> = {
    [SECTION.global]: (content) =>
      withOneMore(content, [I32, MUTABLE, I32_CONST, ...s32Bytes(MOST_FUEL), END]),
    [SECTION.export]: (content) =>
      withOneMore(content, [...u32Bytes(name.length), ...name, KIND.global, ...u32Bytes(fuel)]),
    [SECTION.code]: (content) => meteredCode(content, fuel),
  };
  const rewritten = sections.flatMap(({ id, content }) => {
    const changed = change[id]?.(content) ?? content;
    return [Buffer.from([id, ...u32Bytes(changed.length)]), changed];
  });
  return Buffer.concat([HEADER, ...rewritten]);
}

function sectionsOf(wasm: Uint8Array): readonly Section[] {
  const reader = readerOf(wasm);
  if (!HEADER.equals(reader.take(HEADER.length))) throw malformed('it is no WebAssembly 1.0');
  const sections: Section[] = [];
  while (!reader.isAtEnd())
    sections.push({ id: reader.byte(), content: reader.take(reader.u32()) });
  return sections;
}

function importedGlobals(content: Uint8Array): number {
  const reader = readerOf(content);
  let globals = 0;
  for (let left = reader.u32(); left > 0; left -= 1) globals += skipImport(reader) ? 1 : 0;
  return globals;
}

function contentOf(sections: readonly Section[], id: number): Uint8Array {
  const found = sections.find((section) => section.id === id);
  // OPA's modules have every section that this file reads.
  if (found === undefined) throw malformed(`it has no section ${id}`);
  return found.content;
}

const countOf = (content: Uint8Array): number => readerOf(content).u32();

/** A section with one more entry. */
function withOneMore(content: Uint8Array, item: readonly number[]): Buffer {
  const reader = readerOf(content);
  const count = reader.u32();
  return Buffer.concat([
    Buffer.from(u32Bytes(count + 1)),
    content.subarray(reader.at()),
    Buffer.from(item),
  ]);
}

function meteredCode(content: Uint8Array, fuel: number): Buffer {
  const reader = readerOf(content);
  const count = reader.u32();
  const bodies = Array.from({ length: count }, () => {
    const body = meteredBody(reader.take(reader.u32()), fuel);
    return Buffer.concat([Buffer.from(u32Bytes(body.length)), body]);
  });
  return Buffer.concat([Buffer.from(u32Bytes(count)), ...bodies]);
}

function skipImport(reader: ByteReader): boolean {
  reader.skip(reader.u32());
  reader.skip(reader.u32());
  const kind = reader.byte();
  if (kind === KIND.function) reader.skipLeb();
  else if (kind === KIND.table) {
    reader.byte();
    skipLimits(reader);
  } else if (kind === KIND.memory) skipLimits(reader);
  else if (kind === KIND.global) reader.skip(2);
  else throw malformed('it imports something unknown');
  return kind === KIND.global;
}

function skipLimits(reader: ByteReader): void {
  const hasMaximum = reader.byte() === 1;
  reader.skipLeb();
  if (hasMaximum) reader.skipLeb();
}
