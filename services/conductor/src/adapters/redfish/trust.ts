import { X509Certificate } from 'node:crypto';
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import path from 'node:path';
import { getCACertificates } from 'node:tls';
import { DriverFailure } from '../../domain/driver-failure.js';
import { type RedfishSettings } from '../../domain/redfish-settings.js';

const MAX_CA_BYTES = 1024 * 1024;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/gu;

/** The TLS options of undici's connector. */
export interface TlsTrust {
  readonly rejectUnauthorized: boolean;
  readonly ca?: readonly string[];
}

let systemTrust: readonly string[] | undefined;

/**
 * The trust that a node's settings ask for.
 * @param caDirectory CA files must be inside it after symbolic links are resolved
 * @throws DriverFailure (`settings`) with one sentence for every unusable file, so that it says nothing about the file
 */
export async function loadTrust(
  trust: RedfishSettings['trust'],
  caDirectory: string,
): Promise<TlsTrust> {
  if (trust === 'none') return { rejectUnauthorized: false };
  if (trust === 'system') return { rejectUnauthorized: true, ca: systemCertificates() };
  try {
    const file = await realpath(trust.caFile);
    if (!isInside(await realpath(caDirectory), file)) throw new Error('outside the CA directory');
    return { rejectUnauthorized: true, ca: certificatesIn(await readRegularFile(file)) };
  } catch (error) {
    throw new DriverFailure('settings', 'redfish_verify_ca does not name a usable CA file', {
      cause: error,
    });
  }
}

const systemCertificates = (): readonly string[] =>
  (systemTrust ??= [...new Set([...getCACertificates('default'), ...getCACertificates('system')])]);

function isInside(directory: string, file: string): boolean {
  const relative = path.relative(directory, file);
  return relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative);
}

function certificatesIn(text: string): readonly string[] {
  const blocks = text.match(CERTIFICATE) ?? [];
  if (blocks.length === 0) throw new Error('no certificate');
  return blocks.map((block) => new X509Certificate(block).toString());
}

async function readRegularFile(file: string): Promise<string> {
  // Non-blocking: the owner of a node names the path, and a FIFO or device must not hang the conductor.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = await handle.stat();
    if (!stat.isFile() || stat.size > MAX_CA_BYTES)
      throw new Error('not a regular file of reasonable size');
    return (await handle.readFile()).toString('latin1');
  } finally {
    await handle.close();
  }
}
