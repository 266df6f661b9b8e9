import { describe, expect, it } from '@jest/globals';
import { createRunningTasks } from './running-tasks.js';
import { createWorkers } from './workers.js';

const FULL = {
  status: 503,
  message: 'Requested action cannot be performed due to lack of free conductor workers.',
};

/** A task that runs until the test ends it. */
const openTask = () => Promise.withResolvers<undefined>();

function setUp(maximum: number) {
  const workers = createWorkers(maximum);
  const [one, other] = [
    createRunningTasks(workers, 'power'),
    createRunningTasks(workers, 'provision'),
  ];
  const ends: (() => void)[] = [];
  const begin = (tasks = one, urgency: 'ordinary' | 'urgent' = 'ordinary') =>
    tasks.accept(urgency, async (start) => {
      await Promise.resolve();
      const { promise, resolve } = openTask();
      ends.push(() => {
        resolve(undefined);
      });
      start(() => promise);
    });
  return { one, other, begin, ends };
}

describe('the workers of a conductor', () => {
  it('are one budget for all kinds of work', async () => {
    const { one, other, begin } = setUp(4);
    await begin(one);
    await begin(other);
    await begin(other);
    await expect(begin(one)).rejects.toMatchObject(FULL);
  });

  it('are kept back in part for what is urgent', async () => {
    const { one, begin } = setUp(21);
    for (let count = 0; count < 19; count += 1) await begin();
    await expect(begin()).rejects.toMatchObject(FULL);
    await begin(one, 'urgent');
    await begin(one, 'urgent');
    await expect(begin(one, 'urgent')).rejects.toMatchObject(FULL);
  });

  it('are free again when the work ends', async () => {
    const { one, begin, ends } = setUp(2);
    await begin();
    await expect(begin()).rejects.toMatchObject(FULL);
    ends[0]?.();
    await one.idle();
    await begin();
  });

  it('are claimed before an order is looked at, so that many at once are not too many', async () => {
    const { begin } = setUp(3);
    const answers = await Promise.allSettled([begin(), begin(), begin(), begin()]);
    expect(answers.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
    ]);
  });

  it('are given back by what is refused, and by what begins nothing', async () => {
    const { one, begin } = setUp(2);
    await expect(
      one.accept('ordinary', () => Promise.reject(new Error('refused'))),
    ).rejects.toThrow('refused');
    await one.accept('ordinary', () => Promise.resolve());
    await begin();
  });

  it('never stop what was accepted before', async () => {
    const { one, begin } = setUp(2);
    await begin();
    const { promise, resolve } = openTask();
    one.add(() => promise);
    resolve(undefined);
    await promise;
    await expect(begin()).rejects.toMatchObject(FULL);
  });
});
