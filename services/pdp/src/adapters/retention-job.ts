import { readFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import path from 'node:path';
import { isJsonObject, matches } from '@tenure/contracts';
import { RETENTION_FILE, RetentionState, type SegmentStore } from '@tenure/decision-log';
import { every, type Logger, replaceFile } from '@tenure/process';
import { type AuditShares, type DiskSpace } from '../domain/audit-shares.js';
import { type RetentionSettings } from '../domain/retention.js';
import { type RefusedRequest } from './audit-limiter.js';

export interface RetentionJobOptions extends RetentionSettings {
  /** The instance's directory. */
  readonly dir: string;
  readonly store: Pick<SegmentStore, 'retire' | 'usage'>;
  readonly shares: AuditShares<RefusedRequest>;
  /** Milliseconds between two runs. */
  readonly everyMs: number;
  /** Receives the refusals since the last run, once a run. */
  readonly onRefused: (refused: ReturnType<AuditShares<RefusedRequest>['takeRefused']>) => void;
  readonly logger: Pick<Logger, 'error'>;
}

/** Bytes on the disk that this process may still use. */
export async function diskFree(dir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dir);
  return bavail * bsize;
}

/** The state of the log's free space: of its own limit, or of the disk when that is less. */
export function diskSpaceOf(leftBytes: number, reserveBytes: number): DiskSpace {
  if (leftBytes <= 0) return 'full';
  return leftBytes < reserveBytes ? 'reserve' : 'enough';
}

/** The state that was persisted before a restart; undefined without a valid file. */
export function stateBefore(dir: string): RetentionState | undefined {
  try {
    const state = migrated(JSON.parse(readFileSync(path.join(dir, RETENTION_FILE), 'utf8')));
    return matches(RetentionState, state) ? state : undefined;
  } catch {
    return undefined;
  }
}

/** Periodically removes old segments, reports refusals, and persists the state of the log. */
export function startRetentionJob(
  options: RetentionJobOptions,
  disk: { freeBytes: number },
): { readonly stop: () => Promise<void> } {
  const { dir, store, shares, everyMs, logger } = options;

  const state = (): RetentionState => {
    const { bytes, segments, retained, oldestAt } = store.usage();
    return {
      at: new Date().toISOString(),
      keep_seconds: options.keepMs / 1000,
      space_bytes: options.spaceBytes,
      reserve_bytes: options.reserveBytes,
      disk_free_bytes: disk.freeBytes,
      project_bytes_per_day: options.projectBytesPerDay,
      bytes,
      segments,
      retained_segments: retained,
      oldest: oldestAt === undefined ? null : new Date(oldestAt).toISOString(),
      accounts: [...shares.uses()],
    };
  };

  const round = async (): Promise<void> => {
    try {
      disk.freeBytes = await diskFree(dir);
      await store.retire();
      options.onRefused(shares.takeRefused());
      await replaceFile(path.join(dir, RETENTION_FILE), JSON.stringify(state()));
    } catch (error) {
      logger.error({ err: error }, 'the retention of the decision log failed');
    }
  };

  const { stop } = every(everyMs, round);
  return {
    stop: async () => {
      await stop();
      await round();
    },
  };
}

/** Renames a member of a state that an earlier version wrote. The first run of the job replaces the file. */
function migrated(state: unknown): unknown {
  if (!isJsonObject(state) || !Object.hasOwn(state, 'held_segments')) return state;
  const { held_segments: retained, ...rest } = state;
  return { ...rest, retained_segments: retained };
}
