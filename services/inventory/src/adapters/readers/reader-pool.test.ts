import { afterEach, describe, expect, it } from '@jest/globals';
import { UnavailableError } from '@tenure/contracts';
import { type ListAnswer, type ListRequest } from '../../ports/list-readers.js';
import { type ReaderMetrics } from './reader-metrics.js';
import { type PoolOptions, type ReaderPool, startReaderPool } from './reader-pool.js';
import { type Reader } from './reader.js';

const answerTo = (target: string): ListAnswer => ({
  status: 200,
  headers: {},
  body: Buffer.from(target),
  activeMs: 3,
});

interface SentRead {
  readonly target: string;
  readonly answer: () => void;
  readonly handBack: () => void;
}

interface FakeReader extends Reader {
  readonly die: () => void;
}

/** Readers that answer on a call of the test. */
function fakes() {
  const sent: SentRead[] = [];
  const readers: FakeReader[] = [];
  let refusals = 0;
  const make = (): FakeReader => {
    const ending = Promise.withResolvers<undefined>();
    const ended = ending.promise;
    const die = (): void => {
      ending.resolve(undefined);
    };
    return {
      read: ({ target }) =>
        new Promise((resolve, reject) => {
          void ended.then(() => {
            reject(new Error('ended'));
          });
          sent.push({
            target,
            answer: () => {
              resolve(answerTo(target));
            },
            handBack: () => {
              resolve(undefined);
            },
          });
        }),
      ended,
      stop: () => {
        die();
        return Promise.resolve();
      },
      die,
    };
  };
  return {
    sent,
    readers,
    refuseToStart: (times: number) => {
      refusals = times;
    },
    start: (): Promise<Reader> => {
      if (refusals > 0) {
        refusals -= 1;
        return Promise.reject(new Error('no store'));
      }
      const reader = make();
      readers.push(reader);
      return Promise.resolve(reader);
    },
  };
}

const noted: string[] = [];
let waiting = (): number => 0;
function metrics(length: () => number): ReaderMetrics {
  waiting = length;
  return {
    read: (reader, outcome) => noted.push(`${String(reader)} ${outcome}`),
    refused: (reason) => noted.push(`refused ${reason}`),
    restarted: () => noted.push('restarted'),
  };
}

let pool: ReaderPool | undefined;

async function startPool(
  readers: ReturnType<typeof fakes>,
  options: Partial<PoolOptions> = {},
): Promise<ReaderPool> {
  noted.length = 0;
  pool = await startReaderPool({
    start: readers.start,
    readers: 1,
    capacity: 2,
    deadlineMs: 10_000,
    pauseMs: 1,
    logger: { warn: () => undefined, info: () => undefined },
    metrics,
    ...options,
  });
  return pool;
}

const get = (target: string): ListRequest => ({
  method: 'GET',
  target,
  headers: {},
  body: Buffer.alloc(0),
});

const optionsOf = (tenant = 'a', signal = new AbortController().signal) => ({ tenant, signal });

/** Waits until the pool has done its immediate work. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

const unavailable = expect.objectContaining({
  status: 503,
  headers: { 'Retry-After': '1' },
}) as unknown;

describe('the pool of readers', () => {
  afterEach(() => pool?.close());

  it('passes each reader one request at a time', async () => {
    const readers = fakes();
    const { read } = await startPool(readers);
    const answers = [read(get('/1'), optionsOf()), read(get('/2'), optionsOf())];
    expect(readers.sent.map(({ target }) => target)).toEqual(['/1']);
    expect(waiting()).toBe(1);
    readers.sent[0]?.answer();
    await until(() => readers.sent.length === 2);
    readers.sent[1]?.answer();
    const read2 = await Promise.all(answers);
    expect(read2.map((one) => one?.answer)).toEqual([answerTo('/1'), answerTo('/2')]);
    expect(noted).toEqual(['0 answered', '0 answered']);
  });

  it('returns a request that would write to the caller', async () => {
    const readers = fakes();
    const { read } = await startPool(readers);
    const answer = read(get('/1'), optionsOf());
    readers.sent[0]?.handBack();
    await expect(answer).resolves.toBeUndefined();
    expect(noted).toEqual(['0 handed_back']);
  });

  it('answers 503 for the request of a reader that dies, and passes the next one to another', async () => {
    const readers = fakes();
    const { read } = await startPool(readers);
    const lost = read(get('/lost'), optionsOf());
    const next = read(get('/next'), optionsOf());
    readers.readers[0]?.die();
    await expect(lost).rejects.toBeInstanceOf(UnavailableError);
    await expect(lost).rejects.toEqual(unavailable);
    await until(() => readers.sent.length === 2);
    readers.sent[1]?.answer();
    expect((await next)?.answer).toEqual(answerTo('/next'));
    expect(noted).toEqual(['0 failed', 'refused ended', 'restarted', '0 answered']);
  });

  it('replaces a reader that hangs', async () => {
    const readers = fakes();
    const { read } = await startPool(readers, { deadlineMs: 20 });
    await expect(read(get('/hangs'), optionsOf())).rejects.toEqual(unavailable);
    await until(() => readers.readers.length === 2);
    const next = read(get('/next'), optionsOf());
    await until(() => readers.sent.length === 2);
    readers.sent[1]?.answer();
    expect((await next)?.answer).toEqual(answerTo('/next'));
    expect(noted.toSorted()).toEqual(
      ['0 answered', '0 failed', 'refused deadline', 'restarted'].toSorted(),
    );
  });

  it('retries until a reader starts', async () => {
    const readers = fakes();
    const { read } = await startPool(readers);
    readers.refuseToStart(3);
    readers.readers[0]?.die();
    await readers.readers[0]?.ended;
    const answer = read(get('/1'), optionsOf());
    await until(() => readers.sent.length === 1);
    readers.sent[0]?.answer();
    expect((await answer)?.answer).toEqual(answerTo('/1'));
  });

  it('refuses a request at once when the queue is full', async () => {
    const { read } = await startPool(fakes());
    void read(get('/1'), optionsOf()).catch(() => undefined);
    void read(get('/2'), optionsOf()).catch(() => undefined);
    void read(get('/3'), optionsOf()).catch(() => undefined);
    await expect(read(get('/4'), optionsOf())).rejects.toEqual(unavailable);
    expect(noted).toEqual(['refused full']);
  });

  it('reads nothing for a client that has disconnected', async () => {
    const readers = fakes();
    const { read } = await startPool(readers);
    const first = read(get('/1'), optionsOf());
    const left = new AbortController();
    const aborted = read(get('/aborted'), optionsOf('b', left.signal));
    left.abort();
    await expect(aborted).resolves.toBeUndefined();
    expect(waiting()).toBe(0);
    readers.sent[0]?.answer();
    await first;
    expect(readers.sent.map(({ target }) => target)).toEqual(['/1']);
  });

  it('does not start when its first reader fails', async () => {
    const readers = fakes();
    readers.refuseToStart(1);
    await expect(startPool(readers, { readers: 2 })).rejects.toThrow('no store');
    await readers.readers[0]?.ended;
  });

  it('answers 503 to requests in flight or queued when it is closed, and starts no reader', async () => {
    const readers = fakes();
    const { read, close } = await startPool(readers);
    const lost = [read(get('/1'), optionsOf()), read(get('/2'), optionsOf())];
    const results = Promise.allSettled(lost);
    await close();
    expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(read(get('/3'), optionsOf())).rejects.toEqual(unavailable);
    expect(readers.readers).toHaveLength(1);
  });
});
