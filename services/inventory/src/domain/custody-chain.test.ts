import { describe, expect, it } from '@jest/globals';
import { handoverDigest, type HandoverStatement } from '@tenure/contracts';
import { makeHandover } from '../testing/custody.js';
import { uuidOf } from '../testing/fixtures.js';
import { custodyHeadOf, custodyStamp } from './custody-chain.js';

const EARLIER = 'e'.repeat(43);

describe('the stamp of a completed handover', () => {
  it('makes the first one number 1, after nothing', () => {
    const statements: HandoverStatement[] = [];
    const sign = (statement: HandoverStatement): string => {
      statements.push(statement);
      return 'signed';
    };
    const record = makeHandover(1);
    const stamp = custodyStamp(sign, record, { count: 0, digest: null });
    expect(stamp).toEqual({
      number: 1,
      previous: null,
      digest: handoverDigest({ ...record, number: 1 }),
      signature: 'signed',
    });
    expect(statements).toEqual([
      {
        typ: 'handover',
        uuid: uuidOf(1),
        node_uuid: uuidOf(1),
        number: 1,
        previous: null,
        digest: stamp.digest,
        completed_at: '2026-11-21T08:05:00+00:00',
      },
    ]);
  });

  it('links one to the handover before it', () => {
    const stamp = custodyStamp(() => 'signed', makeHandover(8), { count: 7, digest: EARLIER });
    expect(stamp).toMatchObject({ number: 8, previous: EARLIER });
  });

  it('is the same when a completion is repeated', () => {
    const stamps = [1, 2].map((revision) =>
      custodyStamp(() => '', makeHandover(1, { revision }), { count: 0, digest: null }),
    );
    expect(stamps[0]).toEqual(stamps[1]);
  });

  it('is refused to a handover that is not complete', () => {
    for (const values of [{ status: 'failed' }, { completed_at: null }] as const)
      expect(() =>
        custodyStamp(() => '', makeHandover(1, values), { count: 0, digest: null }),
      ).toThrow('is not complete');
  });
});

describe('the head that a node keeps', () => {
  it('is at the beginning before the first handover', () => {
    for (const node of [{}, { custody: null }, { custody: {} }, { custody: { head: null } }])
      expect(custodyHeadOf(node)).toEqual({ count: 0, digest: null });
  });

  it('is what the last completion wrote', () => {
    const head = { count: 3, digest: EARLIER };
    expect(custodyHeadOf({ custody: { before: {}, head } })).toEqual(head);
  });

  it('does not begin again where it cannot be read', () => {
    expect(() => custodyHeadOf({ custody: { head: { count: -1 } } })).toThrow('malformed');
  });
});
