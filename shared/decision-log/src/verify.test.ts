import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { aLog, type TestLog } from './testing/a-log.js';
import { verifyLog } from './verify.js';

/** Ten records d-1 to d-10, five in each of two segments. */
async function tenRecords(log: TestLog): Promise<void> {
  for (const start of [1, 6]) {
    const writer = await log.open();
    for (let n = start; n < start + 5; n += 1)
      await writer.add(`"decision_id":"d-${n}","result":{"allow":false}`);
    await writer.close();
  }
}

const findings = async ({ dir, publicKey }: TestLog): Promise<readonly unknown[]> =>
  (await verifyLog(dir, 'pdp-1', [publicKey])).findings.map(
    ({ kind, segment, seq, decision_id: id }) => ({ kind, segment, seq, id }),
  );

let log: TestLog;

function change(segment: string, edit: (lines: string[]) => readonly string[]): void {
  const file = path.join(log.dir, segment);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  writeFileSync(file, `${edit(lines).join('\n')}\n`);
}

beforeEach(async () => {
  log = aLog();
  await tenRecords(log);
});

describe('verifying a decision log', () => {
  it('finds nothing in a log as it was written', async () => {
    expect(await verifyLog(log.dir, 'pdp-1', [log.publicKey])).toEqual({
      instance: 'pdp-1',
      records: 10,
      segments: 2,
      unsigned: 0,
      findings: [],
    });
  });

  it('names a record that was edited', async () => {
    change('00000001.jsonl', (lines) =>
      lines.map((line) => (line.includes('d-3') ? line.replace('false', 'true') : line)),
    );
    expect(await findings(log)).toEqual([{ kind: 'edited', segment: 1, seq: 3, id: 'd-3' }]);
  });

  it('names the last record of a segment and of the log when it was edited', async () => {
    for (const segment of ['00000001.jsonl', '00000002.jsonl'])
      change(segment, (lines) => [
        ...lines.slice(0, -1),
        String(lines.at(-1)).replace('false', 'true'),
      ]);
    expect(await findings(log)).toEqual([
      { kind: 'edited', segment: 1, seq: 5, id: 'd-5' },
      { kind: 'edited', segment: 2, seq: 6, id: 'd-6' },
      { kind: 'edited', segment: 2, seq: 10, id: 'd-10' },
    ]);
  });

  it('says which records were removed from the middle', async () => {
    change('00000002.jsonl', (lines) => lines.filter((_line, at) => at !== 1 && at !== 2));
    expect(await verifyLog(log.dir, 'pdp-1', [log.publicKey])).toMatchObject({
      findings: [{ kind: 'removed', segment: 2, seq: 7, last_seq: 8 }],
    });
  });

  it('names a record that was moved', async () => {
    change('00000001.jsonl', ([one = '', two = '', three = '', ...rest]) => [
      one,
      three,
      two,
      ...rest,
    ]);
    expect(await findings(log)).toEqual([{ kind: 'reordered', segment: 1, seq: 2, id: 'd-2' }]);
  });

  it('names a record that is there twice', async () => {
    change('00000001.jsonl', ([one = '', ...rest]) => [one, one, ...rest]);
    expect(await findings(log)).toEqual([{ kind: 'duplicated', segment: 1, seq: 1, id: 'd-1' }]);
  });

  it('says how far a log reached whose end was cut off', async () => {
    change('00000002.jsonl', (lines) => lines.slice(0, 3));
    expect(await verifyLog(log.dir, 'pdp-1', [log.publicKey])).toMatchObject({
      findings: [{ kind: 'truncated', segment: 2, seq: 9, last_seq: 10 }],
    });
  });

  it('misses whole segments', async () => {
    rmSync(path.join(log.dir, '00000002.jsonl'));
    rmSync(path.join(log.dir, '00000002.seal'));
    expect(await findings(log)).toEqual([
      { kind: 'truncated', segment: 2, seq: 10, id: undefined },
    ]);
    rmSync(path.join(log.dir, '00000001.jsonl'));
    expect(await findings(log)).toEqual([
      { kind: 'truncated', segment: 2, seq: 10, id: undefined },
    ]);
  });

  it('misses the first segment when the second is there', async () => {
    rmSync(path.join(log.dir, '00000001.jsonl'));
    expect(await verifyLog(log.dir, 'pdp-1', [log.publicKey])).toMatchObject({
      findings: [{ kind: 'removed', segment: 2, seq: 1, last_seq: 5 }],
    });
  });

  it('does not believe seals of another key, nor their absence', async () => {
    const { publicKey } = aLog();
    expect(await verifyLog(log.dir, 'pdp-1', [publicKey])).toMatchObject({
      findings: [{ kind: 'bad_seal' }, { kind: 'bad_seal' }, { kind: 'bad_seal' }],
    });
    rmSync(path.join(log.dir, 'HEAD'));
    rmSync(path.join(log.dir, '00000001.seal'));
    expect(await findings(log)).toEqual([
      { kind: 'not_sealed', segment: 2, seq: undefined, id: undefined },
      { kind: 'not_sealed', segment: 1, seq: undefined, id: undefined },
    ]);
  });

  it('takes a log for whole in which a process ended before its first record, and another went on', async () => {
    writeFileSync(path.join(log.dir, '00000003.jsonl'), '');
    const writer = await log.open();
    await writer.add('"decision_id":"d-11"');
    await writer.close();
    expect(await verifyLog(log.dir, 'pdp-1', [log.publicKey])).toMatchObject({
      records: 11,
      segments: 4,
      findings: [],
    });
  });

  it('misses the records of a segment that was emptied, and whose seal was taken away', async () => {
    const writer = await log.open();
    await writer.add('"decision_id":"d-11"');
    await writer.close();
    writeFileSync(path.join(log.dir, '00000002.jsonl'), '');
    rmSync(path.join(log.dir, '00000002.seal'));
    expect(await verifyLog(log.dir, 'pdp-1', [log.publicKey])).toMatchObject({
      findings: [{ kind: 'removed', segment: 3, seq: 6, last_seq: 10 }],
    });
  });

  it('does not take the log of one instance for that of another', async () => {
    expect(await verifyLog(log.dir, 'pdp-2', [log.publicKey])).toMatchObject({
      findings: [{ kind: 'bad_seal' }, { kind: 'bad_seal' }, { kind: 'bad_seal' }],
    });
  });

  it('finds what was cut off although the instance went on behind it', async () => {
    change('00000002.jsonl', (lines) => lines.slice(0, 3));
    const writer = await log.open();
    expect(writer.faults).toEqual(['it lacks records that were signed']);
    await writer.add('"decision_id":"d-11"');
    await writer.close();
    expect(await verifyLog(log.dir, 'pdp-1', [log.publicKey])).toMatchObject({
      records: 9,
      findings: [
        { kind: 'truncated', segment: 2, seq: 9, last_seq: 10 },
        { kind: 'removed', segment: 3, seq: 9, last_seq: 10 },
      ],
    });
  });

  it('calls a line that is no record by its place', async () => {
    change('00000001.jsonl', ([one = '', two = '', ...rest]) => [one, two.slice(0, 40), ...rest]);
    expect(await verifyLog(log.dir, 'pdp-1', [log.publicKey])).toMatchObject({
      findings: [
        { kind: 'unreadable', segment: 1, line: 2 },
        { kind: 'removed', segment: 1, seq: 2, last_seq: 2 },
      ],
    });
  });

  it('does not take a log for whole whose head was taken away before the instance went on', async () => {
    change('00000002.jsonl', (lines) => lines.slice(0, 3));
    rmSync(path.join(log.dir, '00000002.seal'));
    rmSync(path.join(log.dir, 'HEAD'));
    const writer = await log.open();
    expect(writer.faults).toEqual(['it has no head, so that its end may be lost']);
    await writer.add('"decision_id":"d-11"');
    await writer.close();
    expect(await findings(log)).toEqual([
      { kind: 'not_sealed', segment: 2, seq: undefined, id: undefined },
      { kind: 'removed', segment: 3, seq: 9, id: undefined },
    ]);
  });
});
