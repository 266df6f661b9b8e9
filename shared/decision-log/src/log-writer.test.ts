import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { GENESIS } from './chain.js';
import { createLogWriter, type LogWriterOptions } from './log-writer.js';
import { aLog, segmentsOf } from './testing/a-log.js';
import { verifyLog } from './verify.js';

/** A store whose writes fail as long as `isBroken`, or never end as long as `isFrozen`. */
function aStore() {
  const state = {
    isBroken: false,
    isFrozen: false,
    lines: [] as string[],
    position: GENESIS,
    head: Promise.resolve(),
  };
  return {
    state,
    store: {
      position: () => state.position,
      append: async (lines: Buffer, last: typeof GENESIS) => {
        if (state.isFrozen) await new Promise(() => undefined);
        if (state.isBroken) throw new Error('no space left');
        state.lines.push(...lines.toString().trimEnd().split('\n'));
        state.position = last;
      },
      signHead: () => state.head,
      close: () => Promise.resolve(),
    },
  };
}

function writerOn({ store }: ReturnType<typeof aStore>, options: Partial<LogWriterOptions>) {
  const failures: number[] = [];
  const writer = createLogWriter({
    store,
    mode: 'strict',
    maxPending: 1000,
    deadlineMs: 50,
    headEveryMs: 1000,
    onFailure: (_error, records) => failures.push(records),
    ...options,
  });
  return { writer, failures };
}

const idsIn = (lines: readonly string[]): readonly unknown[] =>
  lines.map((line): unknown => Reflect.get(JSON.parse(line) as object, 'decision_id'));

describe('writing decisions', () => {
  it('numbers and chains the records of one round of the event loop, and writes them together', async () => {
    const log = aLog();
    const writer = await log.open();
    const written = [1, 2, 3].map((n) => writer.add(`"decision_id":"d-${n}"`));
    for (const one of written) await one;
    await writer.close();
    const lines = readFileSync(path.join(log.dir, '00000001.jsonl'), 'utf8').trimEnd().split('\n');
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
      { seq: 1, prev: '0'.repeat(43), decision_id: 'd-1' },
      { seq: 2, prev: expect.any(String), decision_id: 'd-2' },
      { seq: 3, prev: expect.any(String), decision_id: 'd-3' },
    ]);
  });

  it('is strict: a record that cannot be written is refused, and later ones are chained to the last written one', async () => {
    const broken = aStore();
    const { writer, failures } = writerOn(broken, {});
    await writer.add('"decision_id":"d-1"');
    broken.state.isBroken = true;
    await expect(writer.add('"decision_id":"d-2"')).rejects.toMatchObject({ status: 503 });
    broken.state.isBroken = false;
    await writer.add('"decision_id":"d-3"');
    expect(idsIn(broken.state.lines)).toEqual(['d-1', 'd-3']);
    expect(broken.state.position.seq).toBe(2);
    expect(failures).toEqual([1]);
  });

  it('is strict: a disk that does not answer is a refusal, not a hang', async () => {
    const frozen = aStore();
    frozen.state.isFrozen = true;
    const { writer } = writerOn(frozen, {});
    await expect(writer.add('"decision_id":"d-1"')).rejects.toMatchObject({ status: 503 });
  });

  it('does not delay a record by the signature of the head', async () => {
    const slow = aStore();
    let signed = (): void => undefined;
    slow.state.head = new Promise((resolve) => {
      signed = resolve;
    });
    const { writer } = writerOn(slow, { headEveryMs: 0, deadlineMs: 10_000 });
    await writer.add('"decision_id":"d-1"');
    await writer.add('"decision_id":"d-2"');
    expect(idsIn(slow.state.lines)).toEqual(['d-1', 'd-2']);
    const closed = writer.close();
    signed();
    await closed;
  });

  it('spools: a record that cannot be written yet waits, in order, and is not lost', async () => {
    const broken = aStore();
    broken.state.isBroken = true;
    const { writer } = writerOn(broken, { mode: 'spool', deadlineMs: 5000 });
    for (const n of [1, 2, 3]) expect(writer.add(`"decision_id":"d-${n}"`)).toBeUndefined();
    await new Promise((resolve) => setTimeout(resolve, 20));
    broken.state.isBroken = false;
    await writer.close();
    expect(idsIn(broken.state.lines)).toEqual(['d-1', 'd-2', 'd-3']);
  });

  it('spools no more than the limit, and refuses then', () => {
    const frozen = aStore();
    frozen.state.isFrozen = true;
    const { writer } = writerOn(frozen, { mode: 'spool', maxPending: 50 });
    void writer.add('"decision_id":"d-1"');
    void writer.add('"decision_id":"d-2"');
    expect(() => writer.add('"decision_id":"d-3"')).toThrow('could not be logged');
    expect(writer.pending()).toBe(38);
  });

  it('starts a new segment when one is full, and closes an old one however small it is', async () => {
    const full = aLog();
    const writer = await full.open({ segmentBytes: 1 });
    for (const n of [1, 2, 3]) await writer.add(`"decision_id":"d-${n}"`);
    await writer.close();
    expect(segmentsOf(full)).toEqual(['00000001.jsonl', '00000002.jsonl', '00000003.jsonl']);
    const old = aLog();
    const slow = await old.open({ segmentMs: 0 });
    for (const n of [1, 2]) await slow.add(`"decision_id":"d-${n}"`);
    await slow.close();
    expect(segmentsOf(old)).toEqual(['00000001.jsonl', '00000002.jsonl']);
  });

  it('continues after a killed process, and drops its partial line', async () => {
    const log = aLog();
    const killed = await log.open();
    await killed.add('"decision_id":"d-1"');
    appendFileSync(path.join(log.dir, '00000001.jsonl'), '{"seq":2,"prev":"abc');
    const writer = await log.open();
    expect(writer.faults).toEqual([]);
    await writer.add('"decision_id":"d-2"');
    await writer.close();
    expect(await verifyLog(log.dir, 'pdp-1', [log.publicKey])).toMatchObject({
      records: 2,
      segments: 2,
      findings: [],
    });
  });
});
