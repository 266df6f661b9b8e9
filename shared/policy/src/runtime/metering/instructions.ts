import { type ByteReader, malformed } from './byte-reader.js';

/** Opcodes that give a function its structure. */
export const OPCODE = { unreachable: 0x00, block: 0x02, loop: 0x03, if: 0x04, end: 0x0b } as const;

type Skip = (reader: ByteReader) => void;

const nothing: Skip = () => undefined;
const one: Skip = (reader) => {
  reader.skipLeb();
};
const two: Skip = (reader) => {
  reader.skipLeb();
  reader.skipLeb();
};
const bytes =
  (count: number): Skip =>
  (reader) => {
    reader.skip(count);
  };
const labels: Skip = (reader) => {
  for (let left = reader.u32() + 1; left > 0; left -= 1) reader.skipLeb();
};
const saturating: Skip = (reader) => {
  const kind = reader.u32();
  // Beyond are instructions on whole ranges of memory, whose time no count of instructions bounds.
  if (kind > LAST_TRUNCATION) throw malformed(`it has the instruction 0xfc ${kind}`);
};
const LAST_TRUNCATION = 7;

/** First and last opcode of a range, and what follows them: WebAssembly 1.0 with sign extension and saturating truncation. */
const RANGES: readonly (readonly [first: number, last: number, skip: Skip])[] = [
  [0x00, 0x01, nothing],
  [0x02, 0x04, one],
  [0x05, 0x05, nothing],
  [0x0b, 0x0b, nothing],
  [0x0c, 0x0d, one],
  [0x0e, 0x0e, labels],
  [0x0f, 0x0f, nothing],
  [0x10, 0x10, one],
  [0x11, 0x11, two],
  [0x1a, 0x1b, nothing],
  [0x20, 0x24, one],
  [0x28, 0x3e, two],
  [0x3f, 0x42, one],
  [0x43, 0x43, bytes(4)],
  [0x44, 0x44, bytes(8)],
  [0x45, 0xc4, nothing],
  [0xfc, 0xfc, saturating],
];

const OPCODES = 256;
const SKIPS: readonly (Skip | undefined)[] = Array.from(
  { length: OPCODES },
  (_, opcode) => RANGES.find(([first, last]) => opcode >= first && opcode <= last)?.[2],
);

/**
 * Reads one instruction, whole.
 * @returns its opcode
 * @throws PolicyRefused for an unknown instruction: a module that cannot be read completely is not run
 */
export function readInstruction(reader: ByteReader): number {
  const opcode = reader.byte();
  const skip = SKIPS[opcode];
  if (skip === undefined) throw malformed(`it has the instruction 0x${opcode.toString(16)}`);
  skip(reader);
  return opcode;
}
