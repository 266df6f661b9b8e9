import { beforeEach, describe, expect, it } from '@jest/globals';
import { type HandoverRecord, sealedDigest } from '@tenure/contracts';
import { aChain, aKey, handoverUuid, NODE, signed } from './testing/a-chain.js';
import { type CustodyChain, verifyCustody } from './verify-custody.js';

const { key, publicKey } = aKey();
let chain: CustodyChain;

beforeEach(() => {
  chain = aChain(key, 4);
});

/** Kind and number of each finding. */
const found = (changed: Partial<CustodyChain>, keys = [publicKey]): readonly unknown[] =>
  verifyCustody({ ...chain, ...changed }, keys).findings.map(({ kind, number }) => [kind, number]);

function record(number: number): HandoverRecord {
  const one = chain.records[number - 1];
  if (one === undefined) throw new Error(`there is no handover ${number}`);
  return one;
}

const withRecord = (number: number, change: Partial<HandoverRecord>): Partial<CustodyChain> => ({
  records: chain.records.map((one, index) => (index === number - 1 ? { ...one, ...change } : one)),
});

describe('verifying the custody record of a node', () => {
  it('finds nothing in a record as it was written', () => {
    expect(verifyCustody(chain, [publicKey])).toEqual({
      node_uuid: NODE,
      completed: 4,
      open: 0,
      findings: [],
    });
  });

  it('finds nothing when there are no handovers', () => {
    expect(found({ records: [], head: { count: 0, digest: null } })).toEqual([]);
  });

  it('leaves a handover that is under way alone', () => {
    const open = {
      ...record(4),
      uuid: handoverUuid(9),
      status: 'failed',
      signature: null,
    } as const;
    expect(found({ records: [...chain.records, open], open: open.uuid })).toEqual([]);
  });

  it('names a handover that is not complete while the node waits for none', () => {
    const open = { ...record(4), uuid: handoverUuid(9), status: 'open', number: null } as const;
    expect(found({ records: [...chain.records, open], open: null })).toEqual([['abandoned', null]]);
  });

  it('is not misled by a node that waits for a handover of which there is no record', () => {
    const head = { count: 0, digest: null };
    expect(found({ head, open: handoverUuid(99) })).toEqual([['replaced', 1]]);
    // Signed, and the node not written yet.
    expect(found({ head: { count: 3, digest: record(3).digest }, open: record(4).uuid })).toEqual(
      [],
    );
  });

  it.each<[string, Partial<HandoverRecord>]>([
    ['to whom', { to_project: 'p-x' }],
    ['a step', { steps: [] }],
    ['what was erased', { erased: [] }],
    ['what was sealed', { sealed: { extra: { a: 2 } } }],
    ['its number', { number: 3 }],
    ['its digest', { digest: 'x'.repeat(43) }],
  ])('names a record of which %s was edited', (_, change) => {
    expect(found(withRecord(2, change))).toEqual([['edited', 2]]);
  });

  it('takes the digest for what was sealed of a record that is no longer among the last twenty', () => {
    const long = aChain(key, 22);
    const unsealed = (number: number): HandoverRecord[] =>
      long.records.map((one) =>
        one.number === number ? { ...one, sealed: {}, sealed_digest: sealedDigest(one) } : one,
      );
    expect(verifyCustody({ ...long, records: unsealed(2) }, [publicKey]).findings).toEqual([]);
    expect(verifyCustody({ ...long, records: unsealed(3) }, [publicKey]).findings).toMatchObject([
      { kind: 'edited', number: 3 },
    ]);
  });

  it('names a record whose sealed values stand beside a digest of others', () => {
    const long = aChain(key, 22);
    const records = long.records.map((one) =>
      one.number === 1
        ? { ...one, sealed: { extra: { b: 2 } }, sealed_digest: sealedDigest(one) }
        : one,
    );
    expect(verifyCustody({ ...long, records }, [publicKey]).findings).toMatchObject([
      { kind: 'edited', number: 1 },
    ]);
  });

  it('does not mind what is not part of the record: when it was last written, and its revision', () => {
    expect(found(withRecord(2, { revision: 9, updated_at: null }))).toEqual([]);
  });

  it('names a record that carries the signature of another', () => {
    const { signature } = record(3);
    expect(found(withRecord(2, { signature }))).toContainEqual(['edited', 3]);
  });

  it('names records that were removed', () => {
    const [first, , , last] = chain.records;
    expect(found({ records: [first, last].filter((one) => one !== undefined) })).toEqual([
      ['removed', 2],
    ]);
    expect(found({ records: chain.records.slice(1) })).toEqual([['removed', 1]]);
  });

  it('names a record that was made to look unfinished', () => {
    expect(found(withRecord(2, { status: 'open' }))).toEqual([['removed', 2]]);
  });

  it('misses records that were cut off at the end', () => {
    expect(found({ records: chain.records.slice(0, 2) })).toEqual([['truncated', 3]]);
    expect(found({ records: [] })).toEqual([['truncated', 1]]);
  });

  it('names a record that was moved from another node', () => {
    const other = aChain(key, 1, (one) => ({ ...one, node_uuid: handoverUuid(50) })).records;
    const moved = other.map((one) => ({ ...one, node_uuid: NODE }));
    expect(found({ records: [...chain.records, ...moved] })).toEqual([['moved', 1]]);
  });

  it('names a record that is there twice', () => {
    const twice = { ...record(2) };
    const records = [...chain.records.slice(0, 2), twice, ...chain.records.slice(2)];
    expect(found({ records })).toEqual([['duplicated', 2]]);
  });

  it('reports a record that is stored after a later one', () => {
    const [first, second, third, last] = chain.records;
    const records = [first, third, second, last].filter((one) => one !== undefined);
    expect(found({ records })).toEqual([['reordered', 2]]);
  });

  it('names a record that was signed with another key', () => {
    const { digest } = record(1);
    const forged = signed({ ...record(2), to_project: 'p-x' }, digest, aKey().key);
    expect(found(withRecord(2, forged))).toContainEqual(['foreign_key', 2]);
  });

  it('names a record that is complete and not signed', () => {
    expect(found(withRecord(4, { signature: null }))).toEqual([['unsigned', 4]]);
  });

  it('names a record that goes back in time, though it is signed', () => {
    const early = signed(
      { ...record(4), opened_at: record(1).opened_at, completed_at: record(1).completed_at },
      record(3).digest,
      key,
    );
    const records = [...chain.records.slice(0, 3), early];
    const head = { count: 4, digest: early.digest };
    expect(found({ records, head })).toContainEqual(['backdated', 4]);
  });

  it('names a record that follows another than the one that is there', () => {
    const other = signed({ ...record(2), reason: 'another past' }, record(1).digest, key);
    expect(found(withRecord(2, other))).toEqual([['replaced', 3]]);
  });

  it('names a last record that is not the one of the node', () => {
    expect(found({ head: { count: 4, digest: record(3).digest } })).toEqual([['replaced', 4]]);
    expect(found({ head: { count: 3, digest: record(3).digest } })).toEqual([['replaced', 4]]);
  });

  it('takes a handover that is signed, and of which the node does not know yet, for one under way', () => {
    const head = { count: 3, digest: record(3).digest };
    expect(found({ head, open: record(4).uuid })).toEqual([]);
    const earlier = { count: 1, digest: record(1).digest };
    expect(found({ head: earlier, open: record(4).uuid })).toEqual([]);
    expect(found({ head: earlier })).toEqual([['replaced', 2]]);
  });

  it('still checks the records of a node that was deleted', () => {
    expect(found({ head: undefined })).toEqual([]);
    expect(found({ head: undefined, ...withRecord(1, { owner: 'p-x' }) })).toEqual([['edited', 1]]);
  });

  it('takes records of a key that was replaced, as long as its public half is kept', () => {
    const next = aKey();
    const fifth = signed(
      { ...record(4), uuid: handoverUuid(5), number: 5 },
      record(4).digest,
      next.key,
    );
    const changed = {
      records: [...chain.records, fifth],
      head: { count: 5, digest: fifth.digest },
    };
    expect(found(changed, [next.publicKey, publicKey])).toEqual([]);
    expect(found(changed, [next.publicKey])).toHaveLength(4);
  });
});
