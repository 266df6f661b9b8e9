import { describe, expect, it } from '@jest/globals';
import { deadlineIn } from './deadline.js';
import { createLimiter, createLimiterByKey, createMutex } from './limiter.js';

const REFUSED = 'the line is full';

/** Tasks that are under way until they are ended by name. */
function setUp(limits: { readonly atOnce: number; readonly waiting?: number }) {
  const run = createLimiterByKey({ ...limits, refusal: () => new Error(REFUSED) });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const ask = (name: string, key = 'one', deadline = deadlineIn(60_000)) =>
    run(
      key,
      () => {
        begun.push(name);
        const { promise, resolve } = Promise.withResolvers<string>();
        ends.set(name, () => {
          resolve(name);
        });
        return promise;
      },
      deadline,
    );
  /** A task of which nothing is expected. */
  const start = (name: string, key?: string): void => {
    ask(name, key).catch(() => undefined);
  };
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.();
    // The slot passes to the next task within a few ticks of the microtask queue.
    for (let tick = 0; tick < 10; tick += 1) await Promise.resolve();
  };
  return { ask, start, begun, end };
}

describe('tasks under a limit', () => {
  it('run a few at a time, in the order in which they came', async () => {
    const { ask, begun, end } = setUp({ atOnce: 2 });
    const all = ['a', 'b', 'c', 'd', 'e'].map((name) => ask(name));
    expect(begun).toEqual(['a', 'b']);
    await end('b');
    expect(begun).toEqual(['a', 'b', 'c']);
    await end('a');
    await end('c');
    expect(begun).toEqual(['a', 'b', 'c', 'd', 'e']);
    await end('d');
    await end('e');
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('do not wait for tasks of another key', () => {
    const { start, begun } = setUp({ atOnce: 2 });
    for (const name of ['a', 'b', 'c']) start(name);
    start('other', 'two');
    expect(begun).toEqual(['a', 'b', 'other']);
  });

  it('wait no longer than their deadline, and are then not begun', async () => {
    const { ask, start, begun, end } = setUp({ atOnce: 2, waiting: 3 });
    start('a');
    start('b');
    const caller = new AbortController();
    const late = ask('late', 'one', deadlineIn(60_000, caller.signal));
    const next = ask('next');
    caller.abort();
    await expect(late).rejects.toThrow(REFUSED);
    await expect(ask('over', 'one', deadlineIn(0))).rejects.toThrow(REFUSED);
    await expect(ask('soon over', 'one', deadlineIn(5))).rejects.toThrow(REFUSED);
    await end('a');
    await end('next');
    expect(await next).toBe('next');
    expect(begun).toEqual(['a', 'b', 'next']);
  });

  it('are refused at once when too many wait, and accepted again when a slot is free', async () => {
    const { ask, start, begun, end } = setUp({ atOnce: 1, waiting: 1 });
    start('a');
    start('b');
    await expect(ask('c')).rejects.toThrow(REFUSED);
    await end('a');
    start('d');
    await end('b');
    expect(begun).toEqual(['a', 'b', 'd']);
  });

  it('give their place back when they fail, whether they throw or reject', async () => {
    const { run } = createMutex();
    const rejected = run(() => Promise.reject(new Error('reset')));
    const thrown = run(() => {
      throw new Error('thrown');
    });
    await expect(rejected).rejects.toThrow('reset');
    await expect(thrown).rejects.toThrow('thrown');
    expect(await run(() => 'done')).toBe('done');
  });

  it('are waited for until none runs and none waits', async () => {
    const limiter = createLimiter({ atOnce: 1 });
    let ended = 0;
    const first = await limiter.acquire();
    const second = limiter.run(() => {
      ended += 1;
    });
    const idle = limiter.idle().then(() => ended);
    first();
    await second;
    expect(await idle).toBe(1);
    await limiter.idle();
  });
});
