import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  followDecisions,
  logEnds,
  type LoggedDecision,
  newestDecisions,
  oldestDecisions,
} from './read.js';

let root: string;
const line = (id: string, second: number): string =>
  `${JSON.stringify({ decision_id: id, timestamp: `2026-11-21T06:00:0${second}.000Z` })}\n`;

function write(instance: string, segment: string, ...lines: readonly string[]): void {
  mkdirSync(path.join(root, instance), { recursive: true });
  writeFileSync(path.join(root, instance, segment), lines.join(''));
}

async function idsOf(decisions: AsyncIterable<LoggedDecision>): Promise<readonly unknown[]> {
  const ids: unknown[] = [];
  for await (const { record } of decisions) ids.push(record['decision_id']);
  return ids;
}

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'tenure-read-'));
  write('pdp-1', '00000001.jsonl', line('a1', 1), line('a3', 3));
  write('pdp-1', '00000002.jsonl', line('a5', 5), '{"decision_id":"torn');
  write('pdp-2', '00000001.jsonl', line('b2', 2), 'no record\n', line('b4', 4));
});

describe('reading decision logs', () => {
  it('returns the records of all instances in either order, and skips other lines', async () => {
    expect(await idsOf(newestDecisions(root))).toEqual(['a5', 'b4', 'a3', 'b2', 'a1']);
    expect(await idsOf(oldestDecisions(root))).toEqual(['a1', 'b2', 'a3', 'b4', 'a5']);
  });

  it('returns records from a moment on, and only those that may match', async () => {
    const since = '2026-11-21T06:00:03.000Z';
    expect(await idsOf(oldestDecisions(root, { since }))).toEqual(['a3', 'b4', 'a5']);
    const mayMatch = (text: Buffer): boolean => text.includes('b');
    expect(await idsOf(newestDecisions(root, { since, mayMatch }))).toEqual(['b4']);
  });

  it('returns nothing for a directory that does not exist', async () => {
    expect(await idsOf(newestDecisions(path.join(root, 'nowhere')))).toEqual([]);
  });

  it('follows new records, in new segments and of new instances too', async () => {
    const stop = new AbortController();
    const following = followDecisions(root, await logEnds(root), stop.signal);
    await appendFile(path.join(root, 'pdp-2', '00000001.jsonl'), line('b6', 6));
    write('pdp-3', '00000001.jsonl', line('c7', 7));
    write('pdp-1', '00000002.jsonl', line('a5', 5), line('a8', 8));
    const ids = new Set();
    while (ids.size < 3) ids.add((await following.next()).value?.record['decision_id']);
    stop.abort();
    expect(ids).toEqual(new Set(['b6', 'c7', 'a8']));
    expect(await following.next()).toMatchObject({ done: true });
  });
});
