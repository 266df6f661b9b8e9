// Finds the files that changed since `make check` last passed, and the steps and unit tests that depend on them.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..');
const PASSED = path.join(ROOT, '.cache', 'check-passed.json');

/** Files on which every result depends. */
const CONCERNS_ALL =
  /(?:^|\/)(?:package(?:-lock)?\.json|tsconfig[^/]*\.json|jest\.config\.js)$|^scripts\/(?:changes|run-tests)\.mjs$/u;
const CODE = /^(?:(?:shared|services)\/[^/]+|gateway|cli)\/src\/.*\.ts$/u;
const POLICY = /^(?:policies-rego|scripts\/policy|cli\/src\/commands\/policy|shared\/policy)\//u;
/** Tests that read files at run time, which no import shows, and the helpers that they read them with. */
const READS_FILES = /import\.meta\.|process\.cwd\(|readFile|globSync|readdir|execFile|spawn/u;

const filesNow = () => {
  const listed = execFileSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    {
      cwd: ROOT,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  const digests = [...new Set(listed.split('\0'))]
    .filter((file) => file !== '' && existsSync(path.join(ROOT, file)))
    .map((file) => [
      file,
      createHash('sha256')
        .update(readFileSync(path.join(ROOT, file)))
        .digest('base64url'),
    ]);
  return { node: process.version, files: Object.fromEntries(digests) };
};

const filesThen = () => {
  try {
    return JSON.parse(readFileSync(PASSED, 'utf8'));
  } catch {
    return undefined;
  }
};

const testsThatReadFiles = (files) =>
  files.filter(
    (file) =>
      CODE.test(file) &&
      (file.endsWith('.test.ts') || file.includes('/testing/')) &&
      READS_FILES.test(readFileSync(path.join(ROOT, file), 'utf8')),
  );

/** The package that holds a file, or the folder at the top. */
const folderOf = (file) =>
  /^(?:(?:shared|services)\/[^/]+|[^/]+(?=\/))/u.exec(file)?.[0] ?? 'scripts';

/**
 * Compares the tree with the one of the last pass.
 * @returns `concernsAll`: everything has to run, also when no last pass is recorded; `folders`: what to lint;
 *   `sources`: the files whose unit tests have to run; `policy`: whether the policy or what checks it changed;
 *   `passed`: notes that this tree has passed
 */
export const changes = () => {
  const now = filesNow();
  const then = filesThen();
  const passed = () => {
    mkdirSync(path.dirname(PASSED), { recursive: true });
    writeFileSync(PASSED, JSON.stringify(now));
  };
  const all = { concernsAll: true, folders: ['.'], sources: [], policy: true, passed };
  if (then === undefined || then.node !== now.node) return all;
  const changed = [...new Set([...Object.keys(now.files), ...Object.keys(then.files)])].filter(
    (file) => now.files[file] !== then.files[file],
  );
  if (changed.some((file) => CONCERNS_ALL.test(file))) return all;
  const names = Object.keys(now.files);
  const isOther = changed.some((file) => !CODE.test(file));
  return {
    concernsAll: false,
    // Without one oxlint would lint everything.
    folders: [...new Set(changed.map(folderOf)), 'scripts'],
    sources: [
      ...changed.filter((file) => CODE.test(file) && file in now.files),
      ...(isOther ? testsThatReadFiles(names) : []),
    ],
    policy: changed.some((file) => POLICY.test(file)),
    passed,
  };
};
