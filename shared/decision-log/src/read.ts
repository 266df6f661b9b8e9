import path from 'node:path';
import { sleep, textIfThere } from '@tenure/process';
import { instancesIn, sealFile, segmentFile, segmentsIn } from './layout.js';
import { linesOf } from './lines.js';

/** A record as it was logged. */
export interface LoggedDecision {
  readonly instance: string;
  readonly timestamp: string;
  readonly record: Readonly<Record<string, unknown>>;
}

export interface ReadOptions {
  /** Records from this moment on, RFC 3339 in UTC with milliseconds. */
  readonly since?: string;
  /** Maximum number of the newest records of each segment; all when it is left out. */
  readonly atMost?: number;
  /** Which lines are worth being parsed; all when it is left out. */
  readonly mayMatch?: (line: Buffer) => boolean;
  /** Which records are wanted; all when it is left out. */
  readonly isWanted?: (decision: LoggedDecision) => boolean;
}

type Decisions = AsyncGenerator<LoggedDecision, void>;

/** A place in the log of an instance, behind which nothing was read yet. */
export interface LogCursor {
  readonly segment: number;
  readonly offset: number;
}

/** Before the first record. */
export const LOG_START: LogCursor = { segment: 0, offset: 0 };

const POLL_MS = 200;
const FOLLOW_BYTES = 4 * 1024 * 1024;

/** Places behind everything that is there, by instance. */
export type LogEnds = ReadonlyMap<string, LogCursor>;

/** The records of all instances below a directory of decision logs, the newest first. */
export async function* newestDecisions(root: string, options: ReadOptions = {}): Decisions {
  const instances = await instancesIn(root);
  yield* merged(
    instances.map((instance) => newestOf(root, instance, options)),
    (a, b) => a.timestamp > b.timestamp,
  );
}

/** The records of all instances below a directory of decision logs, the oldest first. */
export async function* oldestDecisions(root: string, options: ReadOptions = {}): Decisions {
  const instances = await instancesIn(root);
  yield* merged(
    instances.map((instance) => oldestOf(root, instance, options)),
    (a, b) => a.timestamp < b.timestamp,
  );
}

/** The record with a decision id, below a directory of decision logs; undefined when there is none. */
export async function findDecision(root: string, id: string): Promise<LoggedDecision | undefined> {
  const wanted = Buffer.from(JSON.stringify(id));
  const reading = newestDecisions(root, {
    atMost: 1,
    mayMatch: (line) => line.includes(wanted),
    isWanted: ({ record }) => record['decision_id'] === id,
  });
  for await (const decision of reading) return decision;
  return undefined;
}

/**
 * Whole lines behind a place in an instance's log, and the place behind them.
 * @param dir the instance's directory
 * @param maxBytes about how much is read at most; one line is, however long
 */
export async function linesBehind(
  dir: string,
  from: LogCursor,
  maxBytes: number,
): Promise<{ readonly lines: readonly Buffer[]; readonly cursor: LogCursor }> {
  let cursor = from;
  let size = 0;
  const lines: Buffer[] = [];
  for (const segment of (await segmentsIn(dir)).filter((number) => number >= from.segment)) {
    const start = segment === from.segment ? from.offset : 0;
    cursor = { segment, offset: start };
    for await (const { bytes, offset, isWhole } of linesOf(
      path.join(dir, segmentFile(segment)),
      start,
    )) {
      if (!isWhole) break;
      if (size >= maxBytes) return { lines, cursor };
      cursor = { segment, offset: offset + bytes.length + 1 };
      size += bytes.length;
      lines.push(Buffer.from(bytes));
    }
  }
  return { lines, cursor };
}

/** Where the logs of all instances end now. */
export async function logEnds(root: string): Promise<LogEnds> {
  const ends = new Map<string, LogCursor>();
  for (const instance of await instancesIn(root))
    ends.set(instance, await endOf(path.join(root, instance)));
  return ends;
}

/** Records behind these places as they are written, those of instances that come later too, until the signal. */
export async function* followDecisions(
  root: string,
  from: LogEnds,
  signal: AbortSignal,
): Decisions {
  const cursors = new Map(from);
  while (!signal.aborted) {
    for (const instance of await instancesIn(root)) {
      const cursor = cursors.get(instance) ?? LOG_START;
      const read = await linesBehind(path.join(root, instance), cursor, FOLLOW_BYTES);
      cursors.set(instance, read.cursor);
      for (const line of read.lines) {
        const logged = parsed(line, instance);
        if (logged !== undefined) yield logged;
      }
    }
    await sleep(POLL_MS, signal);
  }
}

/** Merges sorted sources into one order. */
async function* merged(
  sources: readonly Decisions[],
  isBefore: (a: LoggedDecision, b: LoggedDecision) => boolean,
): Decisions {
  const heads = (
    await Promise.all(sources.map(async (source) => ({ source, next: await source.next() })))
  ).filter(({ next }) => next.done !== true);
  while (heads.length > 0) {
    const first = heads.reduce((best, head) =>
      head.next.done !== true &&
      best.next.done !== true &&
      isBefore(head.next.value, best.next.value)
        ? head
        : best,
    );
    if (first.next.done !== true) yield first.next.value;
    first.next = await first.source.next();
    if (first.next.done === true) heads.splice(heads.indexOf(first), 1);
  }
}

async function* newestOf(root: string, instance: string, options: ReadOptions): Decisions {
  const dir = path.join(root, instance);
  for (const segment of (await segmentsIn(dir)).toReversed()) {
    const closed = await closedAt(dir, segment);
    if (options.since !== undefined && closed !== undefined && closed < options.since) return;
    yield* (await inSegment(dir, segment, instance, options)).toReversed();
  }
}

/** When a segment was closed, unverified; undefined for one that is not. */
async function closedAt(dir: string, segment: number): Promise<string | undefined> {
  const payload = (await textIfThere(path.join(dir, sealFile(segment))))?.split('.')[1];
  if (payload === undefined) return undefined;
  try {
    const at: unknown = Reflect.get(
      JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as object,
      'at',
    );
    return typeof at === 'string' ? at : undefined;
  } catch {
    return undefined;
  }
}

async function inSegment(
  dir: string,
  segment: number,
  instance: string,
  options: ReadOptions,
): Promise<readonly LoggedDecision[]> {
  const { atMost = Infinity } = options;
  const found: LoggedDecision[] = [];
  for await (const { bytes, isWhole } of linesOf(path.join(dir, segmentFile(segment)))) {
    if (!isWhole || options.mayMatch?.(bytes) === false) continue;
    const logged = parsed(bytes, instance);
    if (logged === undefined || !fits(logged, options)) continue;
    found.push(logged);
    // Only now and then: removing from the front costs time in proportion to the length.
    if (found.length >= 2 * atMost) found.splice(0, found.length - atMost);
  }
  return found;
}

function parsed(line: Buffer, instance: string): LoggedDecision | undefined {
  let record: unknown;
  try {
    record = JSON.parse(line.toString('utf8'));
  } catch {
    return undefined; // `verifyLog` reports lines that are no records
  }
  if (typeof record !== 'object' || record === null) return undefined;
  const members = record as Readonly<Record<string, unknown>>; // an object that JSON.parse made
  const { timestamp } = members;
  return typeof timestamp === 'string' ? { instance, timestamp, record: members } : undefined;
}

const fits = (logged: LoggedDecision, { since, isWanted }: ReadOptions): boolean =>
  (since === undefined || logged.timestamp >= since) && isWanted?.(logged) !== false;

async function* oldestOf(root: string, instance: string, options: ReadOptions): Decisions {
  const dir = path.join(root, instance);
  for (const segment of await segmentsIn(dir)) {
    const closed = await closedAt(dir, segment);
    if (options.since !== undefined && closed !== undefined && closed < options.since) continue;
    yield* await inSegment(dir, segment, instance, options);
  }
}

/** The place behind everything that is there. */
async function endOf(dir: string): Promise<LogCursor> {
  // All older segments are before the end in any case.
  let cursor: LogCursor = { segment: (await segmentsIn(dir)).at(-1) ?? 0, offset: 0 };
  for (;;) {
    const read = await linesBehind(dir, cursor, FOLLOW_BYTES);
    cursor = read.cursor;
    if (read.lines.length === 0) return cursor;
  }
}
