import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';

export { sleep };

/**
 * Asks again and again until the answer satisfies; fails with the last answer.
 *
 * @param ask - what to ask; an error counts as "not yet"
 * @param isGood - whether the answer will do
 * @param options - `within` and `every` in milliseconds
 */
export async function eventually<T>(
  ask: () => Promise<T> | T,
  isGood: (answer: T) => boolean,
  { within = 20_000, every = 100, what = 'the expected answer' } = {},
): Promise<T> {
  const deadline = Date.now() + within;
  let last: string;
  for (;;) {
    try {
      const answer = await ask();
      if (isGood(answer)) return answer;
      last = inspect(answer, { depth: 6, breakLength: Infinity });
    } catch (error) {
      last = String(error);
    }
    if (Date.now() > deadline)
      throw new Error(`no ${what} within ${within} ms; last: ${last.slice(0, 2000)}`);
    await sleep(every);
  }
}
