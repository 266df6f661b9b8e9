import { beforeEach, describe, expect, it } from '@jest/globals';
import { BadRequestError, UnavailableError } from '@tenure/contracts';
import { onceMore } from './once-more.js';

let tries: number;

beforeEach(() => {
  tries = 0;
});

const left = (ms: number) => ({ within: (cap: number) => Math.min(cap, ms) });
const failing = (times: number, error: Error) => (): Promise<string> => {
  tries += 1;
  return tries > times ? Promise.resolve('answer') : Promise.reject(error);
};
const AWAY = new UnavailableError('away');

describe('what cannot be had just now', () => {
  it('is asked for once more', async () => {
    await expect(onceMore(left(5000), 1000, failing(1, AWAY))).resolves.toBe('answer');
    expect(tries).toBe(2);
  });

  it('is asked for twice and no more', async () => {
    await expect(onceMore(left(5000), 1000, failing(2, AWAY))).rejects.toBe(AWAY);
    expect(tries).toBe(2);
  });

  it('is not asked for again when the time would not suffice', async () => {
    await expect(onceMore(left(1049), 1000, failing(1, AWAY))).rejects.toBe(AWAY);
    expect(tries).toBe(1);
  });

  it('is not asked for again when it was refused for what it is', async () => {
    const refused = new BadRequestError('no');
    await expect(onceMore(left(5000), 1000, failing(1, refused))).rejects.toBe(refused);
    expect(tries).toBe(1);
  });
});
