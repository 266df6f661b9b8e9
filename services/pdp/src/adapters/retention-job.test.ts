import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { createAuditShares } from '../domain/audit-shares.js';
import { previousRelease } from '../testing/previous-release.js';
import { type RefusedRequest } from './audit-limiter.js';
import { startRetentionJob, stateBefore } from './retention-job.js';

const state = {
  at: '2026-11-21T06:00:00.000Z',
  keep_seconds: 86_400,
  space_bytes: 1000,
  reserve_bytes: 100,
  disk_free_bytes: 5000,
  project_bytes_per_day: 10,
  bytes: 300,
  segments: 3,
  retained_segments: 2,
  oldest: null,
  accounts: [{ account: 'project:p-1', used: 7, limit: 10 }],
};

function directoryWith(text: string): string {
  const dir = mkdtempSync(path.join(tmpdir(), 'tenure-retention-job-'));
  writeFileSync(path.join(dir, 'retention.json'), text);
  return dir;
}

it('reads the state that it wrote before a restart', () => {
  expect(stateBefore(directoryWith(JSON.stringify(state)))).toEqual(state);
});

it('migrates the state of the previous release', async () => {
  const dir = directoryWith(previousRelease('retention.json'));
  expect(stateBefore(dir)).toEqual(state);
  const usage = { bytes: 300, segments: 3, freeBytes: 700, retained: 1, oldestAt: undefined };
  const job = startRetentionJob(
    {
      ...{ keepMs: 86_400_000, spaceBytes: 1000, reserveBytes: 100, projectBytesPerDay: 10 },
      dir,
      store: { usage: () => usage, retire: () => Promise.resolve() },
      shares: createAuditShares<RefusedRequest>({
        perDay: 10,
        diskSpace: () => 'enough',
        now: Date.now,
        before: undefined,
      }),
      everyMs: 60_000,
      onRefused: () => undefined,
      logger: { error: () => undefined },
    },
    { freeBytes: 5000 },
  );
  await job.stop();
  const written: unknown = JSON.parse(readFileSync(path.join(dir, 'retention.json'), 'utf8'));
  expect(written).toEqual({
    ...state,
    retained_segments: 1,
    at: expect.any(String),
    disk_free_bytes: expect.any(Number),
    accounts: [],
  });
});

it.each([
  ['is malformed', previousRelease('retention.json').replace('segments": 2', 'segments": -1')],
  ['is of something else', '{}'],
])('begins anew when the file %s', (_what, text) => {
  expect(stateBefore(directoryWith(text))).toBeUndefined();
});
