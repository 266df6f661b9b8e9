// Runs every part as `make up` does. Rebuilds what changes, and restarts the parts that have loaded it, until Ctrl-C.
// Usage: node scripts/dev/dev.mjs
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, watch } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..', '..');
const DEBOUNCE_MS = 150;

const say = (line) => {
  console.log(`dev: ${line}`);
};

const run = async (command, options = {}) => {
  const [status] = await once(
    spawn(command[0], command.slice(1), { cwd: ROOT, stdio: 'inherit', ...options }),
    'close',
  );
  return status === 0;
};

/** The build steps, each with the folders whose changes start it. */
const TARGETS = [
  {
    what: 'code',
    folders: globSync(['{shared,services}/*/src', 'gateway/src', 'cli/src'], { cwd: ROOT }),
    isSource: (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
    command: ['node_modules/.bin/tsc', '--build'],
  },
  {
    what: 'policy',
    folders: ['policies-rego'],
    isSource: (file) => /\.(?:rego|yaml|json)$/u.test(file) && !file.startsWith('golden'),
    command: ['scripts/policy/build.sh', '--if-changed'],
  },
];

/** Builds one after the other, and once more for all that changed during a build. */
const createBuilder = () => {
  const waiting = new Map();
  let isBuilding = false;
  const build = async () => {
    isBuilding = true;
    while (waiting.size > 0) {
      const [[target, files]] = waiting;
      waiting.delete(target);
      say(`${[...files].slice(0, 3).join(', ')}: building the ${target.what}`);
      const started = Date.now();
      const isBuilt = await run(target.command);
      const seconds = ((Date.now() - started) / 1000).toFixed(1);
      say(isBuilt ? `built in ${seconds} s` : 'not built: see above');
    }
    isBuilding = false;
  };
  return (target, file) => {
    waiting.set(target, (waiting.get(target) ?? new Set()).add(file));
    if (!isBuilding) {
      isBuilding = true;
      setTimeout(build, DEBOUNCE_MS);
    }
  };
};

const request = createBuilder();
for (const target of TARGETS)
  for (const folder of target.folders)
    watch(path.join(ROOT, folder), { recursive: true }, (_, file) => {
      if (file !== null && target.isSource(file)) request(target, path.join(folder, file));
    });

const restarter = path.join(import.meta.dirname, 'end-when-rebuilt.mjs');
// Ctrl-C reaches `tenure up` as well, which stops the parts. We end when it has.
process.on('SIGINT', () => {});
const up = spawn(process.execPath, ['cli/bin/tenure.js', 'up'], {
  cwd: ROOT,
  stdio: 'inherit',
  env: {
    ...process.env,
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import=${restarter}`.trim(),
  },
});
process.on('SIGTERM', () => up.kill('SIGTERM'));
const [status] = await once(up, 'close');
process.exit(status ?? 1);
