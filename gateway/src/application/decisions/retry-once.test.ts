import { beforeEach, describe, expect, it } from '@jest/globals';
import { BadRequestError, UnavailableError } from '@tenure/contracts';
import { deadlineIn } from '@tenure/process';
import { retryOnce } from './retry-once.js';

let tries: number;

beforeEach(() => {
  tries = 0;
});

const failing = (times: number, error: Error) => (): Promise<string> => {
  tries += 1;
  return tries > times ? Promise.resolve('answer') : Promise.reject(error);
};
const AWAY = new UnavailableError('away');

describe('a read that is unavailable', () => {
  it('is repeated once', async () => {
    await expect(retryOnce(deadlineIn(5000), 1000, failing(1, AWAY))).resolves.toBe('answer');
    expect(tries).toBe(2);
  });

  it('is repeated only once', async () => {
    await expect(retryOnce(deadlineIn(5000), 1000, failing(2, AWAY))).rejects.toBe(AWAY);
    expect(tries).toBe(2);
  });

  it('is not repeated when the remaining time is too short', async () => {
    await expect(retryOnce(deadlineIn(1049), 1000, failing(1, AWAY))).rejects.toBe(AWAY);
    expect(tries).toBe(1);
  });

  it('is not repeated after any other error', async () => {
    const refused = new BadRequestError('no');
    await expect(retryOnce(deadlineIn(5000), 1000, failing(1, refused))).rejects.toBe(refused);
    expect(tries).toBe(1);
  });
});
