import { describe, expect, it } from '@jest/globals';
import { seenJson } from '@tenure/contracts';
import { mayMatch } from './decision-filter.js';

const USER = 'ann\u202e\u009b';
const line = JSON.stringify({ input: { subject: { user_id: USER } } });

describe('a search for invisible characters', () => {
  it.each([
    ['as it is written now', seenJson(line)],
    ['as an older release wrote it', line],
  ])('finds them %s', (_how, text) => {
    expect(mayMatch({ user: USER })(Buffer.from(text))).toBe(true);
    expect(mayMatch({ user: 'ben' })(Buffer.from(text))).toBe(false);
  });
});
