/* eslint-disable max-lines-per-function -- a suite, long as test files are */
import { setImmediate as breathe } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type NodeRecord } from '@tenure/contracts';
import { everyRecord } from '../application/every-record.js';
import { DuplicateValueError } from '../ports/record-store.js';
import { type NodeStore, type Stores } from '../ports/stores.js';
import { EVERYTHING, makeNode, uuidOf } from './fixtures.js';

type Values = Readonly<Record<string, unknown>>;
type Pair = readonly [Stores, Stores];

/** The contract for two processes that write at once. `makePair` opens the same empty stores twice. */
export function twoWritersContract(makePair: () => Promise<Pair>): void {
  let pair: Pair;
  let one: NodeStore;
  let other: NodeStore;

  beforeEach(async () => {
    pair = await makePair();
    [{ nodes: one }, { nodes: other }] = pair;
  });
  afterEach(async () => {
    for (const stores of pair) await stores.close();
  });

  const add = (store: NodeStore, number: number, values: Values = {}): Promise<NodeRecord> =>
    store.insert((epoch) => named(number, values, epoch));

  it('of swaps over one revision one is written, and the record is that of the winner', async () => {
    const before = await add(one, 1);
    const swaps = range(1, 10).map((number) =>
      (number % 2 === 0 ? one : other).swap(
        { ...before, owner: `p-${String(number)}`, revision: before.revision + 1 },
        before.revision,
      ),
    );
    const won = (await Promise.all(swaps)).map((isWritten, index) => (isWritten ? index + 1 : 0));
    const winner = won.filter((number) => number > 0);
    expect(winner).toHaveLength(1);
    expect(await other.findBy('uuid', uuidOf(1))).toMatchObject({
      owner: `p-${String(winner[0])}`,
      revision: before.revision + 1,
    });
  });

  it('of a swap and a removal one is done', async () => {
    const before = await add(one, 1);
    const [isWritten, isRemoved] = await Promise.all([
      one.swap({ ...before, revision: before.revision + 1 }, before.revision),
      other.remove(uuidOf(1), before.revision, before.revision),
    ]);
    expect([isWritten, isRemoved].filter(Boolean)).toHaveLength(1);
    expect((await one.findBy('uuid', uuidOf(1))) === undefined).toBe(isRemoved);
  });

  it.each([
    ['uuid', { name: null }],
    ['name', { name: 'same' }],
  ])('of inserts with one %s one is done, and the others name it', async (field, values) => {
    const inserts = range(1, 8).map((number) =>
      add(number % 2 === 0 ? one : other, field === 'uuid' ? 1 : number, values),
    );
    const results = await Promise.allSettled(inserts);
    const refused = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason as unknown] : [],
    );
    expect(refused).toHaveLength(7);
    for (const error of refused) {
      expect(error).toBeInstanceOf(DuplicateValueError);
      expect(error).toMatchObject({ field });
    }
    expect(await one.list(EVERYTHING)).toHaveLength(1);
  });

  it('a record that is made while its namesake is removed begins above every number of that one', async () => {
    const first = await add(one, 1);
    const last = { ...first, tenancy_revision: 9, revision: first.revision + 1 };
    await one.swap(last, first.revision);
    const inserted = async (): Promise<NodeRecord> => {
      for (;;) {
        try {
          return await add(other, 1);
        } catch (error) {
          if (!(error instanceof DuplicateValueError)) throw error;
          await breathe();
        }
      }
    };
    const [isRemoved, fresh] = await Promise.all([
      breathe().then(() => one.remove(uuidOf(1), last.revision, 9)),
      inserted(),
    ]);
    expect(isRemoved).toBe(true);
    expect(fresh.tenancy_revision).toBe(10);
    expect(await one.findBy('uuid', uuidOf(1))).toEqual(fresh);
  });

  it('merges of overlapping records are all combined, none of them lost', async () => {
    await add(one, 3);
    await Promise.all([
      one.merge(
        range(1, 6).map((number) => named(number)),
        counted,
      ),
      other.merge(
        range(3, 9).map((number) => named(number)),
        counted,
      ),
      other.merge(
        range(2, 4).map((number) => named(number)),
        counted,
      ),
    ]);
    const counts = (await one.list(EVERYTHING)).map(
      ({ uuid, extra }) => [Number(uuid.slice(-6)), extra['count']] as const,
    );
    expect(Object.fromEntries(counts)).toEqual({
      ...{ 1: 1, 2: 2, 3: 3, 4: 3, 5: 2 },
      ...{ 6: 2, 7: 1, 8: 1, 9: 1 },
    });
  });

  it('a merge hands names over while another asks for one of them: no name comes twice', async () => {
    for (const number of [1, 2]) await add(one, number);
    const swapped = [named(1, { name: 'n2' }), named(2, { name: 'n1' })];
    const results = await Promise.allSettled([
      one.merge(swapped, (existing, incoming) => ({
        ...incoming,
        revision: (existing?.revision ?? 0) + 1,
      })),
      ...[3, 4, 5].map((number) => add(other, number, { name: 'n1' })),
      add(other, 6),
    ]);
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      ...['rejected', 'rejected', 'rejected'],
      'fulfilled',
    ]);
    const found = await other.list({ ...EVERYTHING, order: { field: 'name', descending: false } });
    expect(found.map(({ name }) => name)).toEqual(['n1', 'n2', 'n6']);
    expect(await other.findBy('name', 'n1')).toMatchObject({ uuid: uuidOf(2) });
  });

  it('a merge that fails on the way changes nothing', async () => {
    const before = [await add(one, 1), await add(one, 2)];
    const failing = one.merge([named(1, { owner: 'x' }), named(3), named(2)], (_, incoming) => {
      if (incoming.uuid === uuidOf(2)) throw new Error('cannot be combined');
      return { ...incoming, revision: 7 };
    });
    await expect(failing).rejects.toThrow('cannot be combined');
    expect(await other.list(EVERYTHING)).toEqual(before);
  });

  describe('who reads page by page while another inserts', () => {
    const everyPage = async (): Promise<readonly number[]> => {
      const seen: number[] = [];
      let after: { readonly uuid: string; readonly value: null } | null = null;
      for (;;) {
        const { rows, more } = await one.page({ ...EVERYTHING, after, limit: 3 });
        seen.push(...numbersOf(rows));
        const last = rows.at(-1);
        if (!more || last === undefined) return seen;
        after = { uuid: last.uuid, value: null };
      }
    };
    const everyRow = async (): Promise<readonly number[]> => {
      const seen: number[] = [];
      for await (const record of everyRecord(one)) seen.push(...numbersOf([record]));
      return seen;
    };

    it.each([
      ['pages', everyPage],
      ['lists', everyRow],
    ])('sees everything that was there before, in its order, in %s', async (_, read) => {
      for (const number of range(1, 20)) await add(other, number);
      const [seen] = await Promise.all([
        read(),
        (async () => {
          for (const start of [21, 31, 41])
            await Promise.all(range(start, start + 9).map((number) => add(other, number)));
        })(),
      ]);
      expect(seen.slice(0, 20)).toEqual(range(1, 20));
    });

    it('sees what was acknowledged before its last page, though others were acknowledged first', async () => {
      const acknowledged: number[] = [];
      let left = 60;
      const insert = async (store: NodeStore): Promise<void> => {
        while (left > 0) {
          left -= 1;
          const number = 60 - left;
          await breathe();
          await add(store, number);
          acknowledged.push(number);
        }
      };
      const seen = new Set<number>();
      let before: readonly number[] = [];
      const follow = async (): Promise<void> => {
        let after: { readonly uuid: string; readonly value: null } | null = null;
        while (seen.size < 60) {
          before = [...acknowledged];
          await breathe();
          const { rows, more } = await one.page({ ...EVERYTHING, after, limit: 2 });
          for (const number of numbersOf(rows)) seen.add(number);
          const last = rows.at(-1);
          after = last === undefined ? after : { uuid: last.uuid, value: null };
          if (!more) {
            // At the end: whatever was acknowledged before this page was read has been seen.
            expect(before.filter((number) => !seen.has(number))).toEqual([]);
            if (before.length === 60) return;
            after = null;
          }
        }
      };
      await Promise.all([follow(), insert(one), insert(other), insert(other)]);
      expect(seen.size).toBe(60);
    });
  });
}

const named = (number: number, values: Values = {}, epoch = 1): NodeRecord =>
  makeNode({ uuid: uuidOf(number), name: `n${String(number)}`, ...values }, epoch);

const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** Adds one to what is counted in a record, or starts to count. */
const counted = (existing: NodeRecord | undefined, incoming: NodeRecord, epoch: number) => ({
  ...incoming,
  extra: { count: Number(existing?.extra['count'] ?? 0) + 1 },
  revision: existing === undefined ? epoch : existing.revision + 1,
});

const numbersOf = (rows: readonly { readonly uuid: string }[]): readonly number[] =>
  rows.map(({ uuid }) => Number(uuid.slice(-6)));
/* eslint-enable max-lines-per-function -- the suite ends here */
