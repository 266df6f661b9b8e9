import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Type } from '@sinclair/typebox';
import { matches } from '@tenure/contracts';
import { linesBehind, LOG_START, type LogCursor } from '@tenure/decision-log';
import { doubling, replaceFile, sleep } from '@tenure/process';
import { type RecordReceiver } from '../../ports/record-receiver.js';

export interface ShipperOptions {
  /** The instance's directory. */
  readonly dir: string;
  readonly receiver: RecordReceiver;
  /** Bytes of records that are sent at once, about. */
  readonly batchBytes: number;
  /** Milliseconds between two looks for new records. */
  readonly everyMs: number;
  /** Milliseconds to wait after a failure; doubled with each further one, up to `maxRetryMs`. */
  readonly retryMs: number;
  readonly maxRetryMs: number;
  readonly onSent: (records: number) => void;
  readonly onFailure: (error: unknown) => void;
}

export interface Shipper {
  /** The oldest segment that is still needed. */
  readonly neededFrom: () => number;
  /** Stops; what was not sent is sent after the next start. */
  readonly stop: () => Promise<void>;
}

const Cursor = Type.Object({
  segment: Type.Integer({ minimum: 0 }),
  offset: Type.Integer({ minimum: 0 }),
});

/**
 * Sends the records of the files to a receiver, in order, and persists its position. The files are the spool: a receiver that
 * is unavailable for a day costs disk space, but neither memory nor records.
 */
export function startShipper(options: ShipperOptions): Shipper {
  const { dir, receiver, batchBytes, everyMs, retryMs, maxRetryMs } = options;
  const cursorFile = path.join(dir, `${receiver.name}.cursor`);
  const stopping = new AbortController();
  let cursor = remembered(cursorFile);
  const pauseMs = doubling(retryMs, maxRetryMs);
  let failures = 0;

  const sendSome = async (): Promise<boolean> => {
    const read = await linesBehind(dir, cursor, batchBytes);
    if (read.lines.length === 0) return false;
    await receiver.send(read.lines);
    await replaceFile(cursorFile, JSON.stringify(read.cursor));
    cursor = read.cursor;
    options.onSent(read.lines.length);
    return true;
  };

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        const wasThere = await sendSome();
        failures = 0;
        if (!wasThere) await sleep(everyMs, stopping.signal);
      } catch (error) {
        options.onFailure(error);
        failures += 1;
        await sleep(pauseMs(failures), stopping.signal);
      }
    }
  };
  const running = run();
  return {
    neededFrom: () => cursor.segment,
    stop: async () => {
      stopping.abort();
      await running;
      await receiver.close();
    },
  };
}

/** The persisted position, or the start of the log: a receiver may get a record twice, but never misses one. */
function remembered(file: string): LogCursor {
  try {
    const cursor: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return matches(Cursor, cursor) ? cursor : LOG_START;
  } catch {
    return LOG_START;
  }
}
