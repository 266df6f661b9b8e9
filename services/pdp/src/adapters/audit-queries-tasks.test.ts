import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { findDecision } from '@tenure/decision-log';
import { searchLog } from './audit-queries-tasks.js';

const SECONDS = ['01', '02', '02', '02', '03'];

const record = (id: string, second: string, allow: boolean): string =>
  JSON.stringify({
    decision_id: id,
    timestamp: `2026-11-21T06:00:${second}.000Z`,
    input: { action: 'baremetal:node:get', subject: { user_id: allow ? 'olga' : 'theo' } },
    result: { allow, grants: [], reason: 'not_visible' },
  });

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'tenure-console-log-'));
  mkdirSync(path.join(dir, 'one'));
  const lines = SECONDS.map((second, at) => record(`d${String(at + 1)}`, second, at % 2 === 0));
  writeFileSync(path.join(dir, 'one', '00000001.jsonl'), `${lines.join('\n')}\n`);
});

const MINUTE = 60_000;
const PLAIN = { limit: 2, skip: 0 };

const ids = async (search: Parameters<typeof searchLog>[1]): Promise<readonly unknown[]> =>
  (await searchLog(dir, search, MINUTE)).decisions.map(({ record: found }) => found['decision_id']);

describe('a search of the log', () => {
  it('returns the newest first, up to the limit, and says whether there are more', async () => {
    const found = await searchLog(dir, PLAIN, MINUTE);
    expect(found).toMatchObject({ hasMore: true, isComplete: true });
    expect(await ids(PLAIN)).toEqual(['d5', 'd4']);
    expect(await searchLog(dir, { limit: 5, skip: 0 }, MINUTE)).toMatchObject({ hasMore: false });
  });

  it('continues where a page ended, also among records of one moment', async () => {
    const until = '2026-11-21T06:00:02.000Z';
    expect(await ids({ ...PLAIN, until, skip: 1 })).toEqual(['d3', 'd2']);
    expect(await ids({ ...PLAIN, until, skip: 3 })).toEqual(['d1']);
  });

  it('finds matching records, within a time', async () => {
    expect(await ids({ ...PLAIN, denied: true })).toEqual(['d4', 'd2']);
    expect(await ids({ ...PLAIN, user: 'olga', since: '2026-11-21T06:00:03.000Z' })).toEqual([
      'd5',
    ]);
    expect(await ids({ ...PLAIN, user: '<script>' })).toEqual([]);
  });

  it('reports that it did not look at everything when the time is up', async () => {
    expect(await searchLog(dir, PLAIN, -1)).toEqual({
      decisions: [],
      hasMore: false,
      isComplete: false,
    });
  });

  it('finds one by its id', async () => {
    expect((await findDecision(dir, 'd3'))?.record).toMatchObject({ decision_id: 'd3' });
    expect(await findDecision(dir, 'd9')).toBeUndefined();
  });
});
