import { close, fdatasync, ftruncate, mkdirSync, open, write } from 'node:fs';
import { open as openForReading, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { createMutex, replaceFile, textIfThere } from '@tenure/process';
import { type ChainPosition } from './chain.js';
import { HEAD_FILE, sealFile, segmentFile, segmentsIn } from './layout.js';
import { type Continuation, type LogIdentity, recoverLog, sealSegment } from './recover.js';
import {
  type ClosedSegment,
  retirement,
  type RetentionRules,
  type RetiredFor,
} from './retention.js';
import { type Head, readStatement, SegmentSeal, signStatement } from './statements.js';

const openFile = promisify(open);
const closeFile = promisify(close);
const syncFile = promisify(fdatasync);
const cutFile = promisify(ftruncate);
const writeFile = promisify(write);

export interface SegmentOptions extends RetentionRules {
  /** Bytes at which a segment is closed and the next one opened. */
  readonly segmentBytes: number;
  /** Milliseconds after which a segment is closed with its next record, because retention removes whole segments. */
  readonly segmentMs: number;
  /** The oldest segment that a receiver still has to read; undefined without receivers. */
  readonly neededFrom: () => number | undefined;
  /** @param segment number of the removed segment */
  readonly onRetired: (segment: number, because: RetiredFor) => void;
  readonly onWritten: (bytes: number) => void;
  /** Whether a write reaches the disk before it is done, or only the operating system. */
  readonly sync: boolean;
}

interface OpenSegment {
  readonly fd: number;
  readonly number: number;
  /** The record before its first. */
  readonly before: ChainPosition;
  readonly openedAt: number;
  size: number;
}

/** Disk usage of the log. */
export interface LogUsage {
  readonly bytes: number;
  readonly segments: number;
  /** Milliseconds since 1970 of the oldest record; undefined without records. */
  readonly oldestAt: number | undefined;
  /** Segments that are older than the retention time and stay because a receiver lacks them. */
  readonly retained: number;
}

export interface SegmentStore {
  /** The end of the chain. */
  readonly position: () => ChainPosition;
  readonly faults: readonly string[];
  /**
   * Writes lines behind all others, wholly or not at all. One at a time.
   * @param last the end of the chain with these lines
   * @throws Error when they could not be written, or the log has reached its maximum size
   */
  readonly append: (lines: Buffer, last: ChainPosition) => Promise<void>;
  /** Signs the end of the chain, if it has grown. It may run concurrently with `append`, which does not wait for it. */
  readonly signHead: () => Promise<void>;
  /** Removes old segments. It may run concurrently with `append`. */
  readonly retire: () => Promise<void>;
  readonly usage: () => LogUsage;
  readonly close: () => Promise<void>;
}

const MODE = 0o600;
const DIR_MODE = 0o700;

const BEGINNING_BYTES = 4096;
const TIMESTAMP = /"timestamp":"(?<at>[^"]{1,64})"/u;

/** The segments of one instance, of which the last is being written. */
class Segments implements SegmentStore {
  readonly faults: readonly string[];
  private readonly identity: LogIdentity;
  private readonly options: SegmentOptions;
  #segment: OpenSegment | undefined;
  #next: number;
  #position: ChainPosition;
  #signed = -1;
  /** Signatures run one at a time, because an older head must not replace a newer one. */
  readonly #signing = createMutex();
  #first: Continuation['first'];
  readonly #closed: ClosedSegment[];
  #bytes: number;
  #retained = 0;
  #oldestAt: number | undefined;
  readonly #retiring = createMutex();

  constructor(
    identity: LogIdentity,
    options: SegmentOptions,
    { position, segment, first, faults, closed }: Continuation & { closed: ClosedSegment[] },
  ) {
    this.#closed = closed;
    this.#bytes = closed.reduce((sum, { bytes }) => sum + bytes, 0);
    this.identity = identity;
    this.options = options;
    this.#position = position;
    this.#next = segment;
    this.#first = first;
    this.faults = faults;
  }

  readonly position = (): ChainPosition => this.#position;

  readonly append = async (lines: Buffer, last: ChainPosition): Promise<void> => {
    if (this.#bytes + lines.length > this.options.spaceBytes)
      throw new Error('the space of the decision log is used up');
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
    this.#bytes += lines.length;
    this.#oldestAt ??= Date.now();
    this.options.onWritten(lines.length);
    this.#position = last;
    const { segmentBytes, segmentMs } = this.options;
    if (segment.size >= segmentBytes || Date.now() - segment.openedAt >= segmentMs)
      await this.#closeSegment();
  };

  readonly retire = (): Promise<void> => this.#retiring.run(() => this.#retire());

  readonly usage = (): LogUsage => ({
    bytes: this.#bytes,
    segments: this.#closed.length + (this.#segment === undefined ? 0 : 1),
    oldestAt: this.#oldestAt,
    retained: this.#retained,
  });

  readonly signHead = (): Promise<void> => this.#signing.run(() => this.#sign());

  readonly close = async (): Promise<void> => {
    await this.#closeSegment();
    await this.retire();
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
    // The first segment changed during the signature: the head must be signed again.
    if (this.#first.segment === head.first_segment) this.#signed = seq;
  }

  async #opened(): Promise<OpenSegment> {
    if (this.#segment !== undefined) return this.#segment;
    const number = this.#next;
    // Exclusive creation: an existing segment is never opened for writing again.
    const fd = await openFile(path.join(this.identity.dir, segmentFile(number)), 'wx', MODE);
    this.#next = number + 1;
    this.#segment = { fd, number, before: this.#position, openedAt: Date.now(), size: 0 };
    return this.#segment;
  }

  async #closeSegment(): Promise<void> {
    const segment = this.#segment;
    if (segment === undefined) return;
    const { number, before, size } = segment;
    const seal = await sealSegment(this.identity, number, before, this.#position);
    this.#segment = undefined;
    this.#closed.push({ number, bytes: size, closedAt: Date.parse(seal.at) });
    await closeFile(segment.fd);
  }

  /** Signs the new start of the log before removing segments, so that any other missing segment counts as tampering. */
  async #retire(): Promise<void> {
    const { dir } = this.identity;
    const { retired, retained } = retirement(this.#closed, this.options, {
      now: Date.now(),
      bytes: this.#bytes,
      neededFrom: this.options.neededFrom(),
    });
    this.#retained = retained;
    const [from] = this.#closed.slice(retired.length);
    if (retired.length > 0 && from !== undefined) {
      const removed = retired.map(({ segment }) => segment.number);
      const position = await positionBefore(this.identity, from.number, removed);
      if (position === undefined)
        throw new Error(`segment ${String(from.number)} of the decision log has lost its seal`);
      this.#first = { segment: from.number, position };
      this.#signed = -1;
      await this.signHead();
      for (const { segment, because } of retired) await this.#remove(segment, because);
    }
    await this.#findOldest(dir);
  }

  async #remove({ number, bytes }: ClosedSegment, because: RetiredFor): Promise<void> {
    const { dir } = this.identity;
    await unlink(path.join(dir, segmentFile(number)));
    await unlink(path.join(dir, sealFile(number))).catch(() => undefined);
    this.#closed.shift();
    this.#bytes -= bytes;
    this.options.onRetired(number, because);
  }

  async #findOldest(dir: string): Promise<void> {
    const [oldest] = this.#closed;
    if (oldest !== undefined)
      this.#oldestAt = await firstMadeIn(path.join(dir, segmentFile(oldest.number)));
    else this.#oldestAt = this.#segment?.openedAt;
  }
}

/** Opens the log of an instance for writing, behind whatever is there. @throws Error when it cannot be written there */
export async function openSegments(
  identity: LogIdentity,
  options: SegmentOptions,
): Promise<SegmentStore> {
  mkdirSync(identity.dir, { recursive: true, mode: DIR_MODE });
  const continuation = await recoverLog(identity);
  const closed = await closedIn(identity);
  const segments = new Segments(identity, options, { ...continuation, closed });
  // Signed before the first record: a log without a head counts as one that lost it.
  await segments.signHead();
  return segments;
}

/** Writes all bytes: one call to the operating system may write only a part. */
async function writeAll(fd: number, bytes: Buffer, at: number): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const { bytesWritten } = await writeFile(fd, bytes, done, bytes.length - done, at + done);
    done += bytesWritten;
  }
}

/** The record before the first remaining one. A process that died early leaves an empty segment without a seal. */
async function positionBefore(
  identity: LogIdentity,
  kept: number,
  removed: readonly number[],
): Promise<ChainPosition | undefined> {
  const own = await sealOf(identity, kept);
  if (own !== undefined) return { seq: own.first_seq, hash: own.first_prev };
  for (const number of removed.toReversed()) {
    const seal = await sealOf(identity, number);
    if (seal !== undefined) return { seq: seal.last_seq, hash: seal.last_hash };
  }
  return undefined;
}

/** Time of the first record in a file. */
async function firstMadeIn(file: string): Promise<number | undefined> {
  const handle = await openForReading(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(BEGINNING_BYTES), 0);
    const at = TIMESTAMP.exec(buffer.toString('utf8', 0, bytesRead))?.groups?.['at'];
    const made = Date.parse(at ?? '');
    return Number.isNaN(made) ? undefined : made;
  } finally {
    await handle.close();
  }
}

async function sealOf(
  { dir, publicKeys }: LogIdentity,
  segment: number,
): Promise<SegmentSeal | undefined> {
  const text = await textIfThere(path.join(dir, sealFile(segment)));
  return text === undefined ? undefined : readStatement(SegmentSeal, text, publicKeys);
}

/** The closed segments on disk. A segment without a seal has the age of its file. */
const closedIn = async (identity: LogIdentity): Promise<ClosedSegment[]> =>
  Promise.all(
    (await segmentsIn(identity.dir)).map(async (number) => {
      const { size, mtimeMs } = await stat(path.join(identity.dir, segmentFile(number)));
      const seal = await sealOf(identity, number);
      return { number, bytes: size, closedAt: seal === undefined ? mtimeMs : Date.parse(seal.at) };
    }),
  );
