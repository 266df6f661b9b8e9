import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { runDir, stopShared } from './run-dir.js';

/** Makes the test environment (quick when it is there) and an empty directory for this run. */
export default function setUp() {
  execFileSync(path.join(import.meta.dirname, '../../scripts/test-env/install.sh'), {
    stdio: 'inherit',
  });
  stopShared();
  rmSync(runDir, { recursive: true, force: true });
  mkdirSync(runDir, { recursive: true });
}
