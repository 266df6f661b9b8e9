// Puts together what an image of one part holds, from a built tree:
//   TARGET/app    the part's own code, the shared packages and the npm packages that it uses, laid out as in the repository
//   TARGET/state  an empty folder `tenure`, for what the part keeps
// Usage: node scripts/images/assemble.mjs TARGET PART…     (each part into TARGET/PART)
// With SOURCE_DATE_EPOCH every file has that time, so that the same sources make the same image.
import {
  cpSync,
  existsSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { closureOf, isInstalled } from './closure.mjs';
import { partNamed } from './parts.mjs';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');

// Node never runs TypeScript from node_modules, and nobody debugs in an image.
const SOURCES = /\.(?:[cm]?ts|map|tsbuildinfo)$/u;
/** Folders at the top of a package that are not copied with it; what is below `node_modules` is a package of its own. */
const LEFT_OUT = new Set(['node_modules', 'test', 'tests', '.github']);

const copyPackage = (from, to) => {
  cpSync(from, to, {
    recursive: true,
    filter: (file) => !SOURCES.test(file) && !LEFT_OUT.has(path.relative(from, file)),
  });
};

/** A workspace of ours: its manifest and what was compiled, without the helpers of tests. */
const copyWorkspace = (from, to) => {
  const dist = path.join(from, 'dist');
  if (!existsSync(dist)) throw new Error(`${dist} is missing; run make build first`);
  cpSync(path.join(from, 'package.json'), path.join(to, 'package.json'));
  cpSync(dist, path.join(to, 'dist'), {
    recursive: true,
    filter: (file) => !SOURCES.test(file) && path.basename(file) !== 'testing',
  });
};

/** `node_modules/@tenure/x` leads to the workspace, as npm has it. */
const link = (app, place) => {
  const { name } = JSON.parse(readFileSync(path.join(app, place, 'package.json'), 'utf8'));
  const at = path.join(app, 'node_modules', name);
  mkdirSync(path.dirname(at), { recursive: true });
  symlinkSync(path.relative(path.dirname(at), path.join(app, place)), at);
};

const everythingBelow = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) =>
    path.join(entry.parentPath, entry.name),
  );

const setTimes = (folder, seconds) => {
  for (const file of [folder, ...everythingBelow(folder)]) lutimesSync(file, seconds, seconds);
};

const copyFile = (app, file) => {
  const from = path.join(ROOT, file);
  if (!existsSync(from))
    throw new Error(`${file} is missing; run make build first, which makes the policy as well`);
  cpSync(from, path.join(app, file), { recursive: statSync(from).isDirectory() });
};

/**
 * Assembles one part into `target`, which must not be there yet.
 * @throws Error when something it needs was not built or installed
 */
export const assemble = (name, target) => {
  const { workspace, files } = partNamed(name);
  const app = path.join(target, 'app');
  for (const place of closureOf(ROOT, workspace)) {
    const to = path.join(app, place);
    mkdirSync(path.dirname(to), { recursive: true });
    if (isInstalled(place)) copyPackage(path.join(ROOT, place), to);
    else {
      copyWorkspace(path.join(ROOT, place), to);
      link(app, place);
    }
  }
  for (const file of ['LICENSE', ...files]) copyFile(app, file);
  mkdirSync(path.join(target, 'state', 'tenure'), { recursive: true, mode: 0o700 });
  const epoch = process.env['SOURCE_DATE_EPOCH'] ?? '';
  if (epoch !== '') setTimes(target, Number(epoch));
};

const main = ([target, ...names]) => {
  if (target === undefined || names.length === 0)
    throw new Error('usage: node scripts/images/assemble.mjs TARGET PART…');
  for (const name of names) {
    const folder = path.join(target, name);
    rmSync(folder, { recursive: true, force: true });
    assemble(name, folder);
  }
};

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
