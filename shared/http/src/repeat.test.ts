import { describe, expect, it } from '@jest/globals';
import { repeatOnFailedConnection } from './repeat.js';

const failure = (code: string): Error => Object.assign(new Error(code), { code });

/** Fails with these codes, one after the other, then succeeds; returns the number of calls, too. */
async function asking(
  codes: readonly string[],
  isSafe: boolean,
): Promise<readonly [string, number]> {
  let calls = 0;
  const ask = (): Promise<string> => {
    const code = codes[calls];
    calls += 1;
    return code === undefined ? Promise.resolve('done') : Promise.reject(failure(code));
  };
  const outcome = await repeatOnFailedConnection(ask, isSafe).catch((error: unknown) =>
    error instanceof Error ? error.message : '',
  );
  return [outcome, calls];
}

describe('a call whose connection fails', () => {
  it.each(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'ECONNREFUSED'])(
    'with %s is repeated when it does nothing',
    async (code) => {
      expect(await asking([code], true)).toEqual(['done', 2]);
    },
  );

  it.each(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])(
    'with %s is not repeated when it may have been carried out',
    async (code) => {
      expect(await asking([code], false)).toEqual([code, 1]);
    },
  );

  it('is repeated, whatever it does, when it was not sent', async () => {
    expect(await asking(['ECONNREFUSED'], false)).toEqual(['done', 2]);
  });

  it('is not repeated when the answer is late, or refuses', async () => {
    expect(await asking(['UND_ERR_ABORTED'], true)).toEqual(['UND_ERR_ABORTED', 1]);
    expect(await asking([''], true)).toEqual(['', 1]);
  });

  it('fails in the end', async () => {
    expect(await asking(['ECONNRESET', 'ECONNRESET', 'EPIPE', 'EPIPE'], true)).toEqual([
      'EPIPE',
      3,
    ]);
  });
});
