import { describe, expect, it } from '@jest/globals';
import { deadlineIn } from '../../deadline.js';
import { createBmcGates } from './bmc-gate.js';

const LIMITS = { atOnce: 2, waiting: 3 };
const BUSY = { kind: 'timeout', message: 'the BMC was busy with other requests' };

/** Requests that are under way until they are told to end. */
const setUp = () => {
  const gateAt = createBmcGates(LIMITS);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  /** A request of which nobody hears how it ended. */
  const start = (name: string, origin?: string): void => {
    ask(name, origin).catch(() => undefined);
  };
  const ask = (name: string, origin = 'https://bmc', deadline = deadlineIn(60_000)) =>
    gateAt(origin).pass(() => {
      begun.push(name);
      const { promise, resolve } = Promise.withResolvers<string>();
      ends.set(name, () => {
        resolve(name);
      });
      return promise;
    }, deadline);
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.();
    // The place is handed on within a few turns of the queue of promises.
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  };
  return { ask, start, begun, end };
};

describe('requests to one BMC', () => {
  it('are under way a few at a time, whichever node asks, in the order in which they came', async () => {
    const { ask, begun, end } = setUp();
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

  it('do not wait for another BMC', async () => {
    const { start, begun } = setUp();
    start('a');
    start('b');
    start('c');
    start('other', 'https://bmc-2');
    await Promise.resolve();
    expect(begun).toEqual(['a', 'b', 'other']);
  });

  it('wait no longer than their caller does, and are then not sent', async () => {
    const { ask, start, begun, end } = setUp();
    start('a');
    start('b');
    const caller = new AbortController();
    const late = ask('late', 'https://bmc', deadlineIn(60_000, caller.signal));
    const next = ask('next');
    caller.abort();
    await expect(late).rejects.toMatchObject(BUSY);
    await expect(ask('over', 'https://bmc', deadlineIn(0))).rejects.toMatchObject(BUSY);
    await expect(ask('soon over', 'https://bmc', deadlineIn(5))).rejects.toMatchObject(BUSY);
    await end('a');
    await end('next');
    expect(await next).toBe('next');
    expect(begun).toEqual(['a', 'b', 'next']);
  });

  it('fail at once when too many wait already: the BMC hangs', async () => {
    const { ask, start } = setUp();
    for (const name of ['a', 'b', 'c', 'd', 'e']) start(name);
    await expect(ask('f')).rejects.toMatchObject(BUSY);
  });

  it('give their place back when they fail', async () => {
    const gateAt = createBmcGates({ atOnce: 1, waiting: 0 });
    const ask = (task: () => Promise<string>) =>
      gateAt('https://bmc').pass(task, deadlineIn(60_000));
    await expect(ask(() => Promise.reject(new Error('reset')))).rejects.toThrow('reset');
    expect(await ask(() => Promise.resolve('done'))).toBe('done');
  });
});
