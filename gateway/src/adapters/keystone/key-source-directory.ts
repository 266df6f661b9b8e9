import { createPublicKey } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { UnavailableError } from '@tenure/contracts';
import { type Logger } from '@tenure/process';
import { type KeySource, type VerificationKey, verificationKey } from '@tenure/tokens';

export interface KeyDirectoryOptions {
  readonly directory: string;
  readonly logger: Logger;
  /** Minimum milliseconds between two reads because of unknown keys. */
  readonly cooldownMs: number;
}

/** The public keys (`*.pem`) in a directory, in Keystone's layout. They are read again when a token needs a newer key. */
export function createKeyDirectory({
  directory,
  logger,
  cooldownMs,
}: KeyDirectoryOptions): KeySource {
  let current: readonly VerificationKey[] = [];
  let lastRead = -Infinity;
  let inFlight: Promise<void> | undefined;

  const read = async (): Promise<void> => {
    lastRead = performance.now();
    try {
      const names = (await readdir(directory)).filter((name) => name.endsWith('.pem')).sort();
      const keys = await Promise.all(
        names.map((name) => readKey(path.join(directory, name), logger)),
      );
      current = keys.filter((key) => key !== undefined);
    } catch (error) {
      logger.warn({ directory, err: error }, 'the keys of Keystone could not be read');
    }
  };

  return {
    keys: () => current,
    refresh: async () => {
      if (inFlight === undefined && performance.now() - lastRead >= cooldownMs)
        inFlight = read().finally(() => {
          inFlight = undefined;
        });
      await inFlight;
      if (current.length === 0)
        throw new UnavailableError('The keys of Keystone could not be read.');
    },
  };
}

async function readKey(file: string, logger: Logger): Promise<VerificationKey | undefined> {
  try {
    const jwk = createPublicKey(await readFile(file)).export({ format: 'jwk' });
    const key = verificationKey(jwk);
    if (key === undefined) logger.warn({ file }, 'a key of Keystone is not usable, and is ignored');
    return key;
  } catch (error) {
    logger.warn({ file, err: error }, 'a key of Keystone could not be read, and is ignored');
    return undefined;
  }
}
