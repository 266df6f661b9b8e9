/** Bytes that are read by their place: a file, or what is made of one. */
export interface ByteSource {
  /** Bytes. */
  readonly size: number;
  /** Exactly `length` bytes from `at`, or fewer where the source ends. */
  readonly read: (at: number, length: number) => Promise<Buffer>;
}

interface Patch {
  readonly at: number;
  readonly data: Buffer;
}

/** A source with some of its bytes replaced, and bytes added at its end. The source itself stays as it is. */
export class PatchedSource implements ByteSource {
  readonly #base: ByteSource;
  /** In the order in which they were written: a later one covers an earlier one. */
  readonly #patches: Patch[] = [];
  #size: number;

  constructor(base: ByteSource) {
    this.#base = base;
    this.#size = base.size;
  }

  get size(): number {
    return this.#size;
  }

  /** Replaces bytes; beyond the end, the source grows, and zeros fill a gap. */
  write(at: number, data: Buffer): void {
    this.#patches.push({ at, data });
    this.#size = Math.max(this.#size, at + data.length);
  }

  async read(at: number, length: number): Promise<Buffer> {
    const wanted = Math.max(0, Math.min(length, this.#size - at));
    const below = await this.#base.read(at, Math.min(wanted, Math.max(0, this.#base.size - at)));
    const bytes = below.length === wanted ? below : Buffer.concat([below], wanted);
    for (const { at: from, data } of this.#patches) {
      const first = Math.max(at, from);
      const end = Math.min(at + wanted, from + data.length);
      if (first < end) data.copy(bytes, first - at, first - from, end - from);
    }
    return bytes;
  }
}
