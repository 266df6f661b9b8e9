import { close, fdatasync, ftruncate, mkdirSync, open, write } from 'node:fs';
import { unlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { replaceFile, textIfThere } from '@tenure/process';
import { type ChainPosition } from './chain.js';
import { HEAD_FILE, sealFile, segmentFile, segmentsIn } from './layout.js';
import { type Continuation, type LogIdentity, recoverLog } from './recover.js';
import { type Head, readStatement, SegmentSeal, signStatement } from './statements.js';

const openFile = promisify(open);
const closeFile = promisify(close);
const syncFile = promisify(fdatasync);
const cutFile = promisify(ftruncate);
const writeFile = promisify(write);

export interface SegmentOptions {
  /** Bytes at which a segment is closed and the next one opened. */
  readonly segmentBytes: number;
  /** Segments that are kept; older ones are removed when one is closed. 0: all. */
  readonly keepSegments: number;
  /** The oldest segment that somebody still has to read, who must not lose it; undefined when nobody does. */
  readonly neededFrom: () => number | undefined;
  /** Whether a write reaches the disk before it is done, or only the operating system. */
  readonly sync: boolean;
}

interface OpenSegment {
  readonly fd: number;
  readonly number: number;
  /** The record before its first. */
  readonly before: ChainPosition;
  size: number;
}

export interface SegmentStore {
  /** Where the chain stands. */
  readonly position: () => ChainPosition;
  readonly faults: readonly string[];
  /**
   * Writes lines behind all others, wholly or not at all. One at a time.
   * @param last where the chain stands with them
   * @throws Error when they could not be written
   */
  readonly append: (lines: Buffer, last: ChainPosition) => Promise<void>;
  /** Signs how far the log reaches, if it has grown. May go on beside `append`, which does not wait for it. */
  readonly signHead: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const MODE = 0o600;
const DIR_MODE = 0o700;

/** All of it: the operating system may take a part only. */
const writeAll = async (fd: number, bytes: Buffer, at: number): Promise<void> => {
  let done = 0;
  while (done < bytes.length) {
    const { bytesWritten } = await writeFile(fd, bytes, done, bytes.length - done, at + done);
    done += bytesWritten;
  }
};

/** The record before a closed segment; undefined when its seal does not say. */
const positionBefore = async (
  { dir, publicKeys }: LogIdentity,
  segment: number,
): Promise<ChainPosition | undefined> => {
  const text = await textIfThere(path.join(dir, sealFile(segment)));
  const seal = text === undefined ? undefined : readStatement(SegmentSeal, text, publicKeys);
  return seal === undefined ? undefined : { seq: seal.first_seq, hash: seal.first_prev };
};

/** The segments of one instance, of which the last is being written. */
class Segments implements SegmentStore {
  readonly faults: readonly string[];
  private readonly identity: LogIdentity;
  private readonly options: SegmentOptions;
  #segment: OpenSegment | undefined;
  #next: number;
  #position: ChainPosition;
  #signed = -1;
  /** Of signatures one at a time: an older head must not replace a newer one. */
  #signing: Promise<void> = Promise.resolve();
  #first: Continuation['first'];

  constructor(
    identity: LogIdentity,
    options: SegmentOptions,
    { position, segment, first, faults }: Continuation,
  ) {
    this.identity = identity;
    this.options = options;
    this.#position = position;
    this.#next = segment;
    this.#first = first;
    this.faults = faults;
  }

  readonly position = (): ChainPosition => this.#position;

  readonly append = async (lines: Buffer, last: ChainPosition): Promise<void> => {
    const segment = await this.#opened();
    try {
      await writeAll(segment.fd, lines, segment.size);
      if (this.options.sync) await syncFile(segment.fd);
    } catch (error) {
      // A half line would end the chain for every reader.
      await cutFile(segment.fd, segment.size);
      throw error;
    }
    segment.size += lines.length;
    this.#position = last;
    if (segment.size >= this.options.segmentBytes) await this.#closeSegment();
  };

  readonly signHead = (): Promise<void> => {
    const signed = this.#signing.then(() => this.#sign());
    this.#signing = signed.catch(() => undefined);
    return signed;
  };

  readonly close = async (): Promise<void> => {
    await this.#closeSegment();
    await this.signHead();
  };

  async #sign(): Promise<void> {
    const { seq, hash } = this.#position;
    if (seq === this.#signed) return;
    const { dir, instance, key } = this.identity;
    const head: Head = {
      typ: 'head',
      instance,
      segment: this.#segment?.number ?? this.#next - 1,
      seq,
      hash,
      first_segment: this.#first.segment,
      first_seq: this.#first.position.seq,
      first_prev: this.#first.position.hash,
      at: new Date().toISOString(),
    };
    await replaceFile(path.join(dir, HEAD_FILE), signStatement(head, key));
    // Another beginning, written down meanwhile, is still to be signed.
    if (this.#first.segment === head.first_segment) this.#signed = seq;
  }

  async #opened(): Promise<OpenSegment> {
    if (this.#segment !== undefined) return this.#segment;
    const number = this.#next;
    // Nobody else writes here: what is there is never opened again.
    const fd = await openFile(path.join(this.identity.dir, segmentFile(number)), 'wx', MODE);
    this.#next = number + 1;
    this.#segment = { fd, number, before: this.#position, size: 0 };
    return this.#segment;
  }

  async #closeSegment(): Promise<void> {
    const segment = this.#segment;
    if (segment === undefined) return;
    const { dir, instance, key } = this.identity;
    const seal: SegmentSeal = {
      typ: 'segment',
      instance,
      segment: segment.number,
      first_seq: segment.before.seq,
      first_prev: segment.before.hash,
      last_seq: this.#position.seq,
      last_hash: this.#position.hash,
      at: new Date().toISOString(),
    };
    await replaceFile(path.join(dir, sealFile(segment.number)), signStatement(seal, key));
    this.#segment = undefined;
    await closeFile(segment.fd);
    await this.#retire(segment.number);
  }

  /** The head says first which segments are gone: what else is missing was taken away. */
  async #retire(closed: number): Promise<void> {
    const { keepSegments, neededFrom } = this.options;
    if (keepSegments === 0) return;
    const from = Math.min(closed - keepSegments + 1, neededFrom() ?? closed);
    const { dir } = this.identity;
    const old = (await segmentsIn(dir)).filter((number) => number < from);
    if (old.length === 0) return;
    const kept = await positionBefore(this.identity, from);
    if (kept === undefined) return;
    this.#first = { segment: from, position: kept };
    this.#signed = -1;
    await this.signHead();
    for (const number of old) {
      await unlink(path.join(dir, segmentFile(number)));
      await unlink(path.join(dir, sealFile(number))).catch(() => undefined);
    }
  }
}

/** Opens the log of an instance for writing, behind whatever is there. @throws Error when it cannot be written there */
export const openSegments = async (
  identity: LogIdentity,
  options: SegmentOptions,
): Promise<SegmentStore> => {
  mkdirSync(identity.dir, { recursive: true, mode: DIR_MODE });
  const segments = new Segments(identity, options, await recoverLog(identity));
  // Before the first record: a log without a head is one that lost it.
  await segments.signHead();
  return segments;
};
