import { open } from 'node:fs/promises';

/** A line of a file. */
export interface FileLine {
  /** Without its newline. */
  readonly bytes: Buffer;
  /** Where it begins in the file. */
  readonly offset: number;
  /** False for a last line whose newline is missing: it was torn, or is being written. */
  readonly isWhole: boolean;
}

const CHUNK = 1024 * 1024;
const NEWLINE = 0x0a;

/**
 * The lines of a file as they are, from a place on where one begins.
 * @throws Error when the file cannot be read
 */
export async function* linesOf(file: string, from = 0): AsyncGenerator<FileLine> {
  const handle = await open(file, 'r');
  try {
    let rest = Buffer.alloc(0);
    let offset = from;
    let position = from;
    for (;;) {
      const { bytesRead, buffer } = await handle.read(
        Buffer.allocUnsafe(CHUNK),
        0,
        CHUNK,
        position,
      );
      if (bytesRead === 0) break;
      position += bytesRead;
      rest = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
      let start = 0;
      for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE, start)) {
        const bytes = rest.subarray(start, end);
        yield { bytes, offset, isWhole: true };
        offset += bytes.length + 1;
        start = end + 1;
      }
      rest = rest.subarray(start);
    }
    if (rest.length > 0) yield { bytes: rest, offset, isWhole: false };
  } finally {
    await handle.close();
  }
}
