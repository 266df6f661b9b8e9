import { UnavailableError } from '@tenure/contracts';
import { type Logger } from '@tenure/process';
import { request } from 'undici';
import { type KeySource } from './key-source.js';
import { keysOfSet, type VerificationKey } from './verification-keys.js';

export interface JwksOptions {
  readonly urls: readonly string[];
  readonly logger: Logger;
  /** Milliseconds between refreshes in the background; a removed key stops working after that. */
  readonly refreshMs: number;
  /** Minimum milliseconds between two fetches because of unknown keys. */
  readonly cooldownMs: number;
  /** Milliseconds until an unanswered fetch counts as failed. */
  readonly deadlineMs: number;
}

export interface JwksSource extends KeySource {
  readonly stop: () => void;
}

const MAX_SET_BYTES = 256 * 1024;

/** The keys published under one or more URLs. When a URL cannot be reached, its previous keys stay valid. */
export function createJwksSource(options: JwksOptions): JwksSource {
  const sets = new Map<string, readonly VerificationKey[]>();
  let current: readonly VerificationKey[] = [];
  let lastStart = -Infinity;
  let inFlight: Promise<void> | undefined;

  const fetchAll = async (): Promise<void> => {
    await Promise.all(
      options.urls.map(async (url) => {
        try {
          sets.set(url, await fetchSet(url, options.deadlineMs));
        } catch (error) {
          options.logger.warn(
            { err: error, had_keys: sets.has(url) },
            'a key set could not be fetched',
          );
        }
      }),
    );
    current = [...sets.values()].flat();
  };
  const fetchOnce = (): Promise<void> => {
    if (inFlight !== undefined) return inFlight;
    lastStart = performance.now();
    inFlight = fetchAll().finally(() => {
      inFlight = undefined;
    });
    return inFlight;
  };
  const refresh = async (): Promise<void> => {
    if (inFlight !== undefined || performance.now() - lastStart >= options.cooldownMs)
      await fetchOnce();
    if (sets.size === 0)
      throw new UnavailableError('The keys that verify tokens could not be fetched.');
  };

  const timer = setInterval(() => {
    void fetchOnce();
  }, options.refreshMs);
  timer.unref();
  void fetchOnce();
  return {
    keys: () => current,
    refresh,
    stop: () => {
      clearInterval(timer);
    },
  };
}

async function fetchSet(url: string, deadlineMs: number): Promise<readonly VerificationKey[]> {
  const { statusCode, body } = await request(url, {
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(deadlineMs),
  });
  const text = await readLimited(body as AsyncIterable<Buffer>); // undici's body yields buffers
  if (statusCode !== 200) throw new Error(`status ${statusCode}`);
  return keysOfSet(JSON.parse(text));
}

async function readLimited(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_SET_BYTES) throw new Error('the key set is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
