import { describe, expect, it } from '@jest/globals';
import { growthOfReads, listOf, membersNamed, N_LOG_N } from '@tenure/contracts/testing';
import { readCreateRequest } from './create-request.js';

const serverWith = (members: object) => ({
  server: {
    name: 's',
    flavorRef: 'f',
    imageRef: 'http://images.example/i',
    networks: 'none',
    ...members,
  },
});

/** CPU milliseconds. */
function spentOn(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user } = process.cpuUsage(before);
  return user / 1000;
}

describe('the steps of reading a server request grow no faster than n log n', () => {
  it.each([
    {
      what: 'with its metadata',
      most: 128,
      members: (size: number) => ({ metadata: membersNamed(size, (at) => `k${String(at)}`, 'v') }),
    },
    {
      what: 'with its networks',
      most: 64,
      members: (size: number) => ({
        networks: listOf(size, (at) => ({ port: `port-${String(at)}` })),
      }),
    },
    {
      what: 'with its tags',
      most: 48,
      members: (size: number) => ({ tags: listOf(size, (at) => `t${String(at)}`) }),
    },
  ])('$what', ({ members, most }) => {
    const growth = growthOfReads(
      (counted, size) => readCreateRequest(counted(serverWith(members(size))), 93),
      { from: most / 4, doublings: 2 },
    );
    expect(growth).toBeLessThanOrEqual(N_LOG_N);
  });

  // A pattern that backtracks over the line breaks takes seconds of CPU for this.
  it.each(['\n'.repeat(65_534), 'A'.repeat(65_534), '='.repeat(65_534), '=\n'.repeat(32_000)])(
    'invalid user data are refused at once',
    (text) => {
      const body = serverWith({ user_data: `${text}!` });
      const spent = spentOn(() => {
        expect(() => readCreateRequest(body, 93)).toThrow('user_data');
      });
      expect(spent).toBeLessThan(500);
    },
  );

  it.each(['', 'YQ==', 'YW\nI=\r\n', 'YWJj\n', 'YQ=='.concat('\n\n')])(
    'user data may have line breaks: %j',
    (text) => {
      expect(readCreateRequest(serverWith({ user_data: text }), 93).userData).toBe(text);
    },
  );
});
