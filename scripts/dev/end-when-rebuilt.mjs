// Loaded into each part by scripts/dev/dev.mjs. Ends the part when a module that it has loaded was rebuilt: `tenure up`
// starts it again.
import { watch } from 'node:fs';
import { registerHooks } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';

/** A build writes its files within this time. */
const DEBOUNCE_MS = 500;

const loaded = new Set();
const watched = new Set();
let timer;

const onChange = (folder) => (_, name) => {
  if (name === null || !loaded.has(path.join(folder, name))) return;
  clearTimeout(timer);
  timer = setTimeout(() => process.kill(process.pid, 'SIGTERM'), DEBOUNCE_MS);
};

const onLoad = (file) => {
  loaded.add(file);
  const folder = path.dirname(file);
  if (watched.has(folder)) return;
  watched.add(folder);
  watch(folder, onChange(folder)).unref();
};

if (isMainThread && process.argv[1]?.endsWith(path.join('dist', 'server.js')))
  registerHooks({
    load: (url, context, next) => {
      if (url.startsWith('file:') && url.includes('/dist/') && !url.includes('/node_modules/'))
        onLoad(fileURLToPath(url));
      return next(url, context);
    },
  });
