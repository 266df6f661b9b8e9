import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createLogWriter, type LogWriter, type LogWriterOptions } from '../log-writer.js';
import { openSegments, type SegmentOptions, type SegmentStore } from '../segment-store.js';

export interface TestLog {
  readonly dir: string;
  readonly publicKey: KeyObject;
  readonly open: (
    segments?: Partial<SegmentOptions>,
    writer?: Partial<LogWriterOptions>,
  ) => Promise<LogWriter & Pick<SegmentStore, 'faults' | 'retire' | 'usage'>>;
}

/** A log in a folder of its own, of the instance `pdp-1`. */
export function aLog(): TestLog {
  const { privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const key = createPrivateKey(privateKey);
  const publicKey = createPublicKey(privateKey);
  const dir = mkdtempSync(path.join(tmpdir(), 'tenure-decision-log-'));
  return {
    dir,
    publicKey,
    open: async (segments = {}, writer = {}) => {
      const store = await openSegments(
        { dir, instance: 'pdp-1', key, publicKeys: [publicKey] },
        {
          segmentBytes: 1024 * 1024,
          segmentMs: 86_400_000,
          keepMs: 86_400_000,
          spaceBytes: 1024 * 1024 * 1024,
          reserveBytes: 1024 * 1024,
          onRetired: () => undefined,
          onWritten: () => undefined,
          neededFrom: () => undefined,
          sync: false,
          ...segments,
        },
      );
      const log = createLogWriter({
        store,
        mode: 'strict',
        maxPending: 1024 * 1024,
        deadlineMs: 15_000,
        headEveryMs: 5,
        onFailure: () => undefined,
        ...writer,
      });
      const { faults, retire, usage } = store;
      return { add: log.add, pending: log.pending, close: log.close, faults, retire, usage };
    },
  };
}

/** The record files of a log, oldest first. */
export const segmentsOf = ({ dir }: TestLog): readonly string[] =>
  readdirSync(dir)
    .filter((name) => name.endsWith('.jsonl'))
    .sort();
