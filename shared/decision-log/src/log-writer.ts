import { UnavailableError } from '@tenure/contracts';
import { sleep } from '@tenure/process';
import { chainLine } from './chain.js';
import { type SegmentStore } from './segment-store.js';

export interface LogWriterOptions {
  readonly store: Pick<SegmentStore, 'position' | 'append' | 'signHead' | 'close'>;
  /**
   * `strict`: a record counts once it is written, and a record that cannot be written is refused.
   * `spool`: it waits in memory until it can be written, up to `maxPending`.
   */
  readonly mode: 'strict' | 'spool';
  /** Characters of records that may wait. */
  readonly maxPending: number;
  /** Milliseconds that a record may wait in strict mode. */
  readonly deadlineMs: number;
  /** Milliseconds between two signatures of how far the log reaches. */
  readonly headEveryMs: number;
  readonly onFailure: (error: unknown, records: number) => void;
}

export interface LogWriter {
  /**
   * Takes a record: its members as JSON text without braces.
   * @returns in strict mode a promise of its being written, which rejects with UnavailableError when it is not
   * @throws UnavailableError when `maxPending` is reached
   */
  readonly add: (members: string) => Promise<void> | undefined;
  /** Characters of records that wait. */
  readonly pending: () => number;
  /** Writes the waiting records, and signs. `onFailure` gets the number of those that cannot be written within the deadline. */
  readonly close: () => Promise<void>;
}

interface Waiting {
  readonly members: string;
  readonly done: (error?: Error) => void;
}

const RETRY_MS = 100;
const BATCH_CHARACTERS = 1024 * 1024;
const NOT_WRITTEN = 'The decision could not be logged; access is denied.';
const nobodyWaits = (): void => undefined;

/** Queues records, and writes many of them to a segment at once. */
class Spool implements LogWriter {
  #waiting: Waiting[] = [];
  #characters = 0;
  #isWriting = false;
  #isClosing = false;
  #isScheduled = false;
  #signAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #signing: Promise<void> | undefined;

  private readonly options: LogWriterOptions;

  constructor(options: LogWriterOptions) {
    this.options = options;
  }

  readonly add = (members: string): Promise<void> | undefined => {
    if (this.#isClosing || this.#characters + members.length > this.options.maxPending)
      throw new UnavailableError(NOT_WRITTEN);
    this.#characters += members.length;
    if (this.options.mode === 'spool') {
      this.#waiting.push({ members, done: nobodyWaits });
      this.#schedule();
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const tooLate = (): void => {
        reject(new UnavailableError(NOT_WRITTEN));
      };
      const timer = setTimeout(() => {
        // This process may have been too slow itself: completed writes are handled first.
        setImmediate(() => setImmediate(tooLate));
      }, this.options.deadlineMs);
      const done = (error?: Error): void => {
        clearTimeout(timer);
        if (error === undefined) resolve();
        else reject(new UnavailableError(NOT_WRITTEN, { cause: error }));
      };
      this.#waiting.push({ members, done });
      this.#schedule();
    });
  };

  readonly pending = (): number => this.#characters;

  readonly close = async (): Promise<void> => {
    this.#isClosing = true;
    const end = performance.now() + this.options.deadlineMs;
    while (this.#isWriting || this.#waiting.length > 0) {
      if (performance.now() > end) {
        this.options.onFailure(new Error('the log was closed'), this.#waiting.length);
        return;
      }
      this.#schedule();
      await sleep(1);
    }
    clearTimeout(this.#timer);
    await this.#signing;
    await this.options.store.close();
  };

  // At the end of this round of the event loop, so that all decisions of one round are written at once.
  #schedule(): void {
    if (this.#isScheduled || this.#isWriting) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      void this.#writeAll();
    });
  }

  async #writeAll(): Promise<void> {
    if (this.#isWriting) return;
    this.#isWriting = true;
    do {
      if (this.#waiting.length > 0) await this.#writeSome();
      if (performance.now() >= this.#signAt) this.#signing ??= this.#sign();
    } while (this.#waiting.length > 0);
    this.#isWriting = false;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#writeAll();
    }, this.options.headEveryMs).unref();
  }

  async #sign(): Promise<void> {
    this.#signAt = performance.now() + this.options.headEveryMs;
    try {
      await this.options.store.signHead();
    } catch (error) {
      this.options.onFailure(error, 0);
    }
    this.#signing = undefined;
  }

  async #writeSome(): Promise<void> {
    const { store, onFailure, mode } = this.options;
    const batch = this.#takeBatch();
    let position = store.position();
    const lines = batch.map(({ members }) => {
      const link = chainLine(position, members);
      position = link.position;
      return `${link.line}\n`;
    });
    try {
      await store.append(Buffer.from(lines.join('')), position);
      this.#complete(batch);
    } catch (error) {
      onFailure(error, batch.length);
      if (mode === 'strict') {
        this.#complete(batch, error instanceof Error ? error : new Error(String(error)));
        return;
      }
      // Back to the front of the queue: the chain has not advanced, and they are its next records.
      this.#waiting = [...batch, ...this.#waiting];
      await sleep(RETRY_MS);
    }
  }

  #takeBatch(): readonly Waiting[] {
    let characters = 0;
    let count = 0;
    for (const { members } of this.#waiting) {
      if (count > 0 && characters + members.length > BATCH_CHARACTERS) break;
      characters += members.length;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }

  #complete(batch: readonly Waiting[], error?: Error): void {
    for (const { members, done } of batch) {
      this.#characters -= members.length;
      done(error);
    }
  }
}

/** Writes decisions to the segments of one instance, in the order in which they were made. */
export const createLogWriter = (options: LogWriterOptions): LogWriter => new Spool(options);
