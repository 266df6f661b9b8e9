// `make tempest`: the API tests of ironic-tempest-plugin against a Tenure that a real Keystone's catalog names.
// Compares what passed with passing.txt. UPDATE=1 adds what passes now; it never removes. TESTS=regex runs some only.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import '../support/run-typescript.mjs';
import { compare, readList, readResults } from './results.mjs';
import { advertisedVersion, stestrConf, tempestConf } from './settings.mjs';

const { adminPassword } = await import('../support/keystone-process.ts');
const { startKeystone } = await import('../support/keystone.ts');
const { cleanEnvironment, runDirectory } = await import('../support/paths.ts');
const { startTenure } = await import('../support/tenure.ts');
const { python, runModule, sitePackages } = await import('./python.mjs');

const LISTED = path.join(import.meta.dirname, 'passing.txt');
const wanted = process.env.TESTS ?? '';
const say = (text) => process.stdout.write(`${text}\n`);

/** Runs the tests and answers what came of each. */
async function runTests(directory, keystone, tenure) {
  writeFileSync(
    path.join(directory, 'tempest.conf'),
    tempestConf({
      directory,
      keystoneUrl: keystone.url,
      adminPassword,
      maxMicroversion: await advertisedVersion(tenure.url),
    }),
  );
  writeFileSync(path.join(directory, '.stestr.conf'), stestrConf(sitePackages()));
  const environment = {
    ...cleanEnvironment(),
    PATH: `${path.dirname(python)}:${process.env.PATH}`,
    PYTHON: python,
    PYTHONWARNINGS: 'ignore',
    TEMPEST_CONFIG_DIR: directory,
  };
  const options = { cwd: directory, env: environment };
  const only = wanted === '' ? [] : [wanted];
  const stream = await runModule(
    'stestr.cli',
    ['run', '--concurrency', '2', '--subunit', ...only],
    options,
  );
  writeFileSync(path.join(directory, 'results.subunit'), stream);
  writeFileSync(
    path.join(directory, 'failures.txt'),
    await runModule('stestr.cli', ['last'], options),
  );
  const toCsv = 'subunit.filter_scripts.subunit2csv';
  return readResults(
    String(await runModule(toCsv, ['--no-passthrough'], { ...options, input: stream })),
  );
}

/** Prints what changed, and answers whether a test was lost. */
function report(directory, results) {
  const list = readList(readFileSync(LISTED, 'utf8'));
  const { lost, gained } = compare(
    wanted ? list.filter((test) => new RegExp(wanted).test(test)) : list,
    results,
  );
  for (const test of lost) say(`LOST   ${test}`);
  for (const test of gained) say(`GAINED ${test}`);
  if (gained.length > 0 && process.env.UPDATE === '1') {
    writeFileSync(
      LISTED,
      [...list, ...gained]
        .sort()
        .map((test) => `${test}\n`)
        .join(''),
    );
    say(`passing.txt has ${gained.length} more`);
  } else if (gained.length > 0) say('UPDATE=1 adds what was gained to passing.txt');
  const { passed, failed, skipped } = results;
  if (failed.length > 0) say(`why they failed: ${path.join(directory, 'failures.txt')}`);
  say(`${passed.length} passed, ${failed.length} failed, ${skipped.length} skipped`);
  return lost.length === 0 && passed.length > 0;
}

mkdirSync(runDirectory, { recursive: true });
const keystone = await startKeystone('fernet');
try {
  const tenure = await startTenure('tempest', keystone.settings);
  try {
    await keystone.register(tenure.url);
    const results = await runTests(runDirectory, keystone, tenure);
    process.exitCode = report(runDirectory, results) ? 0 : 1;
  } finally {
    await tenure.stop();
  }
} finally {
  await keystone.stop();
}
