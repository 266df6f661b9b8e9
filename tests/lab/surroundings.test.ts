import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { cleanEnvironment, runDirectory } from '../support/paths.js';
import { fill, makeReadOnly, makeUsable } from './disks.js';
import { Surroundings } from './surroundings.js';

let dataDir: string;
let surroundings: Surroundings;
let settingsOf: (replica: string) => Readonly<Record<string, string>>;

beforeEach(() => {
  mkdirSync(runDirectory, { recursive: true });
  dataDir = mkdtempSync(path.join(runDirectory, 'surroundings-'));
  surroundings = new Surroundings();
  settingsOf = surroundings.prepare(dataDir, 'sqlite');
});

afterEach(() => {
  surroundings.close();
  rmSync(dataDir, { recursive: true });
});

/** The time that a process of a replica sees, in seconds since 1970, and since the machine was started. */
function clocksOf(replica: string): readonly [wall: number, monotonic: number] {
  const script = 'console.log(Date.now() / 1000, Number(process.hrtime.bigint()) / 1e9)';
  const env = { ...cleanEnvironment(), ...settingsOf(replica) };
  const printed = execFileSync(process.execPath, ['-e', script], { env, encoding: 'utf8' });
  const [wall = 0, monotonic = 0] = printed.split(' ').map(Number);
  return [wall, monotonic];
}

describe('the clock of a replica', () => {
  it('is right, and steps for that replica alone, while its monotonic clock is right', () => {
    if (surroundings.clocks.lack !== undefined) return;
    const settings = settingsOf('pdp-0');
    surroundings.clocks.set('pdp-0', -1860);
    expect(readFileSync(settings['FAKETIME_TIMESTAMP_FILE'] ?? '', 'utf8')).toBe('-1860\n');
    const [wall, monotonic] = clocksOf('pdp-0');
    expect(Date.now() / 1000 - 1860 - wall).toBeLessThan(30);
    expect(Math.abs(Number(process.hrtime.bigint()) / 1e9 - monotonic)).toBeLessThan(30);
    expect(Math.abs(Date.now() / 1000 - clocksOf('pdp-1')[0])).toBeLessThan(30);
  });
});

describe('the disk of a replica', () => {
  it('can be full and read-only, and is as before afterwards', async () => {
    const at = surroundings.disks.placeOf('inventory-0');
    if (at === undefined) return;
    const file = path.join(at, 'file');
    const write = (): void => {
      writeFileSync(file, 'x'.repeat(100_000));
    };
    await fill(at);
    expect(write).toThrow('ENOSPC');
    await makeUsable(at);
    write();
    await makeReadOnly(at);
    expect(write).toThrow('EROFS');
    await makeUsable(at);
    write();
    surroundings.disks.close();
    expect(readFileSync(file)).toHaveLength(100_000);
  });

  it('is kept apart from those of others', () => {
    expect(settingsOf('inventory-0')['TENURE_DATA_DIR']).toBe(path.join(dataDir, 'inventory-0'));
    expect(settingsOf('pdp-1')['TENURE_DATA_DIR']).toBe(path.join(dataDir, 'pdp-1'));
    expect(settingsOf('gateway-0')['TENURE_DATA_DIR']).toBeUndefined();
  });
});
