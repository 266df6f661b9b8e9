import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { type Shipper, type ShipperOptions, startShipper } from './shipper.js';

let dir: string;
let sent: string[][];
let failures: string[];
let isAway: boolean;

function write(segment: number, ...records: readonly string[]): void {
  const lines = records.map((record) => `${record}\n`).join('');
  appendFileSync(path.join(dir, `0000000${segment}.jsonl`), lines);
}

const start = (change: Partial<ShipperOptions> = {}): Shipper =>
  startShipper({
    dir,
    receiver: {
      name: 'test',
      send: (records) => {
        if (isAway) return Promise.reject(new Error('away'));
        sent.push(records.map(String));
        return Promise.resolve();
      },
      close: () => Promise.resolve(),
    },
    batchBytes: 1000,
    everyMs: 1,
    retryMs: 1,
    maxRetryMs: 4,
    onSent: () => undefined,
    onFailure: (error) => failures.push(String(error)),
    ...change,
  });

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 1));
}

beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'tenure-shipper-'));
  sent = [];
  failures = [];
  isAway = false;
  write(1, 'a', 'b');
  write(2, 'c');
});

describe('sending records on', () => {
  it('sends existing and new records, in order, and no partial line', async () => {
    const shipper = start();
    await until(() => sent.flat().length === 3);
    appendFileSync(path.join(dir, '00000002.jsonl'), 'd-ha');
    write(3, 'e');
    await until(() => sent.flat().length === 4);
    await shipper.stop();
    expect(sent.flat()).toEqual(['a', 'b', 'c', 'e']);
  });

  it('continues at its position after a restart', async () => {
    const first = start();
    await until(() => sent.flat().length === 3);
    await first.stop();
    write(2, 'd');
    const second = start();
    await until(() => sent.flat().length === 4);
    await second.stop();
    expect(sent.flat()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('keeps records that a receiver refuses, and reports the oldest segment that it needs', async () => {
    isAway = true;
    const shipper = start();
    await until(() => failures.length > 2);
    expect(sent).toEqual([]);
    expect(shipper.neededFrom()).toBe(0);
    isAway = false;
    await until(() => sent.flat().length === 3);
    await until(() => shipper.neededFrom() === 2);
    await shipper.stop();
    expect(sent.flat()).toEqual(['a', 'b', 'c']);
  });

  it('sends a batch at a time', async () => {
    const shipper = start({ batchBytes: 1 });
    await until(() => sent.flat().length === 3);
    await shipper.stop();
    expect(sent).toEqual([['a'], ['b'], ['c']]);
  });

  it('sends everything again when its position is lost', async () => {
    writeFileSync(path.join(dir, 'test.cursor'), 'nonsense');
    const shipper = start();
    await until(() => sent.flat().length === 3);
    await shipper.stop();
    expect(JSON.parse(readFileSync(path.join(dir, 'test.cursor'), 'utf8'))).toEqual({
      segment: 2,
      offset: 2,
    });
  });
});
