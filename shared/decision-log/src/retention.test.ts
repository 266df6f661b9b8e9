import { describe, expect, it } from '@jest/globals';
import { type ClosedSegment, retirement } from './retention.js';
import { aLog, segmentsOf } from './testing/a-log.js';
import { verifyLog } from './verify.js';

const DAY = 86_400_000;
const MIB = 1024 * 1024;
const NOW = 100 * DAY;

/** Segments of 64 MiB, closed the given numbers of days ago. */
const closed = (...daysAgo: readonly number[]): readonly ClosedSegment[] =>
  daysAgo.map((days, at) => ({ number: at + 1, bytes: 64 * MIB, closedAt: NOW - days * DAY }));

const RULES = { keepMs: 7 * DAY, spaceBytes: 8192 * MIB, reserveBytes: 819 * MIB };

const numbersOf = ({ retired }: ReturnType<typeof retirement>) =>
  retired.map(({ segment, because }) => [segment.number, because]);

describe('a segment that retention removes', () => {
  it('is older than the retention time', () => {
    const retirements = retirement(closed(9, 8, 6, 5, 0), RULES, {
      now: NOW,
      bytes: 320 * MIB,
      neededFrom: undefined,
    });
    expect(numbersOf(retirements)).toEqual([
      [1, 'age'],
      [2, 'age'],
    ]);
    expect(retirements.retained).toBe(0);
  });

  it('is never a young one that exists nowhere else, even when space is short', () => {
    const retirements = retirement(closed(3, 2, 1, 0), RULES, {
      now: NOW,
      bytes: 8192 * MIB,
      neededFrom: undefined,
    });
    expect(numbersOf(retirements)).toEqual([]);
  });

  it('is, when space is short, one that every receiver has, and no more than necessary', () => {
    // 8192 - 819 = 7373 MiB may be used; 7480 - 2 * 64 = 7352.
    const retirements = retirement(closed(3, 2, 1, 0), RULES, {
      now: NOW,
      bytes: 7480 * MIB,
      neededFrom: 9,
    });
    expect(numbersOf(retirements)).toEqual([
      [1, 'sent'],
      [2, 'sent'],
    ]);
  });

  it('is never one that a receiver lacks, however old it is', () => {
    const retirements = retirement(closed(30, 20, 10, 9, 0), RULES, {
      now: NOW,
      bytes: 8192 * MIB,
      neededFrom: 2,
    });
    expect(numbersOf(retirements)).toEqual([[1, 'age']]);
    expect(retirements.retained).toBe(3);
  });

  it('is never the newest one, and never one after a segment that stays', () => {
    const rules = { ...RULES, keepMs: 0 };
    const at = { now: NOW, bytes: 0, neededFrom: undefined };
    expect(numbersOf(retirement(closed(2), rules, at))).toEqual([]);
    expect(numbersOf(retirement(closed(0, 2, 1), rules, at))).toEqual([]);
  });
});

describe('a decision log without its old segments', () => {
  const withFour = async (options: Parameters<ReturnType<typeof aLog>['open']>[0]) => {
    const log = aLog();
    const writer = await log.open({ segmentBytes: 1, ...options });
    for (const n of [1, 2, 3, 4])
      await writer.add(`"decision_id":"d-${n}","timestamp":"2026-11-22T10:00:0${n}.000Z"`);
    return { log, writer };
  };
  const tick = () => new Promise((resolve) => setTimeout(resolve, 5));

  it('verifies, also after a restart', async () => {
    const removed: string[] = [];
    const { log, writer } = await withFour({
      keepMs: 0,
      onRetired: (_segment, because) => removed.push(because),
    });
    await tick();
    await writer.retire();
    expect(segmentsOf(log)).toEqual(['00000004.jsonl']);
    expect(removed).toEqual(['age', 'age', 'age']);
    expect(writer.usage()).toMatchObject({
      segments: 1,
      retained: 0,
      oldestAt: Date.parse('2026-11-22T10:00:04.000Z'),
    });
    await writer.close();
    const again = await log.open();
    await again.add('"decision_id":"d-5"');
    await again.close();
    expect(again.faults).toEqual([]);
    expect(await verifyLog(log.dir, 'pdp-1', [log.publicKey])).toMatchObject({
      records: 2,
      segments: 2,
      findings: [],
    });
  });

  it('keeps everything that is young enough, and reports its size', async () => {
    const { log, writer } = await withFour({});
    await writer.retire();
    await writer.close();
    expect(segmentsOf(log)).toHaveLength(4);
    const reopened = await log.open();
    await reopened.retire();
    // A line: {"seq":1,"prev":"<43>","decision_id":"d-1","timestamp":"<24>"} and its newline.
    expect(reopened.usage()).toEqual({
      bytes: 4 * 122,
      segments: 4,
      retained: 0,
      oldestAt: Date.parse('2026-11-22T10:00:01.000Z'),
    });
  });

  it('keeps and reports segments that a receiver lacks', async () => {
    const { log, writer } = await withFour({ keepMs: 0, neededFrom: () => 2 });
    await tick();
    await writer.retire();
    expect(segmentsOf(log)).toEqual(['00000002.jsonl', '00000003.jsonl', '00000004.jsonl']);
    expect(writer.usage().retained).toBe(2);
    await writer.close();
  });

  it('accepts no record without free space, and continues once there is some', async () => {
    const { log, writer } = await withFour({ keepMs: 0, spaceBytes: 500 });
    await expect(writer.add('"decision_id":"d-5"')).rejects.toMatchObject({ status: 503 });
    expect(segmentsOf(log)).toHaveLength(4);
    await tick();
    await writer.retire();
    await writer.add('"decision_id":"d-6"');
    await writer.close();
    expect(await verifyLog(log.dir, 'pdp-1', [log.publicKey])).toMatchObject({
      records: 1,
      findings: [],
    });
  });
});
