import { describe, expect, it } from '@jest/globals';
import { deadlineIn } from '@tenure/process';
import { createBmcConcurrency } from './bmc-limits.js';

const BMC = 'https://bmc';

const never = () => new Promise<never>(() => undefined);

describe('one BMC', () => {
  it('gets four requests at a time, whichever node asks, and others wait no longer than their caller', async () => {
    const { requests } = createBmcConcurrency();
    let begun = 0;
    const ask = (origin: string, ms: number) =>
      requests(
        origin,
        () => {
          begun += 1;
          return never();
        },
        deadlineIn(ms),
      );
    const hanging = [1, 2, 3, 4].map(() => ask(BMC, 60_000));
    const busy = { kind: 'timeout', message: 'the BMC was busy with other requests' };
    await expect(ask(BMC, 5)).rejects.toMatchObject({ ...busy, maybeSent: false });
    expect([hanging.length, begun]).toEqual([4, 4]);
    // Their deadlines come when this test is over.
    for (let waiting = 0; waiting < 64; waiting += 1) ask(BMC, 60_000).catch(() => undefined);
    await expect(ask(BMC, 60_000)).rejects.toMatchObject(busy);
    void ask('https://bmc-2', 60_000);
    expect(begun).toBe(5);
  });

  it('gets one command at a time, and one whose caller has given up is never begun', async () => {
    const { commands } = createBmcConcurrency();
    const first = Promise.withResolvers<string>();
    const all = [commands(BMC, () => first.promise, deadlineIn(60_000))];
    const caller = new AbortController();
    const late = commands(BMC, never, deadlineIn(60_000, caller.signal));
    all.push(commands(BMC, () => 'second', deadlineIn(60_000)));
    caller.abort();
    await expect(late).rejects.toMatchObject({
      kind: 'timeout',
      message: 'the BMC was busy with other commands',
      maybeSent: false,
    });
    first.resolve('first');
    expect(await Promise.all(all)).toEqual(['first', 'second']);
  });
});
