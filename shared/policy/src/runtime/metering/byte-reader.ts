import { PolicyRefused } from '../../failures.js';

const CONTINUES = 0x80;
const PAYLOAD = 0x7f;
const BITS = 7;
/** Bytes of the longest LEB128 there is, a number of 64 bits. */
const LONGEST_LEB = 10;
const LONGEST_U32 = 5;

/** A place in a WebAssembly module that moves on as it is read. */
export interface ByteReader {
  readonly at: () => number;
  readonly isAtEnd: () => boolean;
  readonly byte: () => number;
  /** An unsigned LEB128 of at most 32 bits. */
  readonly u32: () => number;
  /** Passes over a LEB128 of any size, signed or not. */
  readonly skipLeb: () => void;
  readonly skip: (bytes: number) => void;
  readonly take: (bytes: number) => Uint8Array;
}

/** The message of whatever is wrong with a module's form. */
export const malformed = (what: string): PolicyRefused =>
  new PolicyRefused(`policy.wasm cannot be metered: ${what}`);

/** Each read throws PolicyRefused at the end of the bytes. */
export function readerOf(bytes: Uint8Array): ByteReader {
  let place = 0;
  const byte = (): number => {
    const value = bytes[place];
    if (value === undefined) throw malformed('it ends too early');
    place += 1;
    return value;
  };
  const skip = (count: number): void => {
    if (place + count > bytes.length) throw malformed('it ends too early');
    place += count;
  };
  return {
    at: () => place,
    isAtEnd: () => place >= bytes.length,
    byte,
    u32: () => {
      let value = 0;
      for (let read = 0; read < LONGEST_U32; read += 1) {
        const next = byte();
        // Not by shifts: they would make the highest bit a sign.
        value += (next & PAYLOAD) * 2 ** (BITS * read);
        if (next < CONTINUES) return value;
      }
      throw malformed('a number in it is too long');
    },
    skipLeb: () => {
      for (let read = 0; read < LONGEST_LEB; read += 1) if (byte() < CONTINUES) return;
      throw malformed('a number in it is too long');
    },
    skip,
    take: (count) => {
      const from = place;
      skip(count);
      return bytes.subarray(from, place);
    },
  };
}

/** An unsigned LEB128. */
export const u32Bytes = (value: number): readonly number[] =>
  value < CONTINUES
    ? [value]
    : [(value % CONTINUES) + CONTINUES, ...u32Bytes(Math.floor(value / CONTINUES))];

/** A signed LEB128 of a number that is not negative. */
export const s32Bytes = (value: number): readonly number[] =>
  value < CONTINUES / 2
    ? [value]
    : [(value % CONTINUES) + CONTINUES, ...s32Bytes(Math.floor(value / CONTINUES))];
