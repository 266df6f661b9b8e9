// `make bench`: every benchmark, one after the other. A goal missed is printed, and is not a failure.
import { spawnSync } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';

const [cpu] = os.cpus();
process.stdout.write(
  `Node ${process.version}, ${os.cpus().length} × ${cpu?.model ?? 'unknown CPU'}, ${new Date().toISOString()}\n\n`,
);
for (const name of [
  'pdp',
  'gateway',
  'keystone',
  'list',
  'power',
  'power-sync',
  'neighbours',
  'steady',
]) {
  process.stdout.write(`== ${name}\n`);
  const { status } = spawnSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', path.join(import.meta.dirname, `${name}.mjs`)],
    { stdio: 'inherit' },
  );
  // Here something broke, which is another matter than being slow.
  if (status !== 0) process.exitCode = 1;
}
