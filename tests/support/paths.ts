import path from 'node:path';
import { env } from 'node:process';
import { runDir } from './run-dir.js';

/** The repository's root. */
export const root = path.resolve(import.meta.dirname, '../..');

/** Git-ignored; holds what scripts/test-env makes. */
export const cache = path.join(root, '.cache');

/** This run's data directories and logs. */
export const runDirectory = runDir;

/** The Python environment with the real clients and the emulator. */
export const venvBin = path.join(cache, 'venv', 'bin');

/** The certificates that certs.sh made. */
export const certificates = {
  ca: path.join(cache, 'certs', 'ca.pem'),
  otherCa: path.join(cache, 'certs', 'other-ca.pem'),
  certificate: path.join(cache, 'certs', 'server.pem'),
  key: path.join(cache, 'certs', 'server.key'),
} as const;

/** The caller's environment without its OpenStack and Tenure settings: a test says all of its own. */
export function cleanEnvironment(): Record<string, string> {
  const kept = ['PATH', 'HOME', 'LANG', 'TMPDIR'];
  return {
    ...Object.fromEntries(
      kept.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
    ),
    // A run starts some thousand processes of the same code: it is compiled once for all of them.
    NODE_COMPILE_CACHE: path.join(runDirectory, 'node-compile'),
  };
}
