import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import path from 'node:path';
import { cache } from '../support/paths.ts';

const venv = path.join(cache, 'tempest-venv');
/** The Python that scripts/test-env/tempest.sh made. */
export const python = path.join(venv, 'bin', 'python');

/** Where its packages are. */
export function sitePackages() {
  const [found] = globSync(path.join(venv, 'lib', 'python3*', 'site-packages'));
  if (found === undefined) throw new Error(`no packages in ${venv}`);
  return found;
}

// So that Ctrl-C ends the tests, and the run then ends what it started.
const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    interrupted.abort();
  });

const LONGEST_RUN_MS = 1_800_000;

/**
 * Runs a Python module and answers what it printed, whatever its exit code.
 * @throws AbortError when it takes too long, or the run is interrupted
 */
export function runModule(module, args, { input, ...options } = {}) {
  const child = spawn(python, ['-W', 'ignore', '-m', module, ...args], {
    ...options,
    stdio: ['pipe', 'pipe', 'inherit'],
    signal: AbortSignal.any([interrupted.signal, AbortSignal.timeout(LONGEST_RUN_MS)]),
  });
  const printed = [];
  child.stdout.on('data', (chunk) => printed.push(chunk));
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => {
      resolve(Buffer.concat(printed));
    });
  });
}
