// Runs the project's checks, each to its end, and closes with one line: N passed, N failed.
// Usage: node scripts/run-tests.mjs check|all|nightly
// `check` leaves out what the changes since its last pass do not concern; with ALL=1 in the environment it runs everything.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { changes } from './changes.mjs';

const JEST =
  'node --experimental-vm-modules --disable-warning=ExperimentalWarning node_modules/jest/bin/jest.js';
const scratch = mkdtempSync(path.join(tmpdir(), 'tenure-tests-'));

/** A jest run counts its tests; every other command counts as one check. */
const jest = (name, command) => ({ name, command, report: path.join(scratch, `${name}.json`) });
const check = (name, command) => ({ name, command });
const oneAfterTheOther = (...steps) => ({ steps });

const POLICY = check('policy', 'scripts/policy/build.sh --if-changed && scripts/policy/check.sh');
const UNIT = jest('unit', JEST);

/** The checks; the items of a list run side by side. @param lint the folders to lint */
const checks = ({ policy, lint, unit }) => [
  [check('types', 'npx tsc --build'), check('format', 'npx oxfmt --check .')],
  [
    check('lint', `npx oxlint ${lint.join(' ')}`),
    oneAfterTheOther(
      ...policy,
      check(
        'boundaries',
        'npx depcruise --config .dependency-cruiser.cjs shared services gateway cli',
      ),
      check('unused', 'npx knip'),
      check('types-of-tests', 'npx tsc -p tests/tsconfig.json'),
      check('vocabulary', 'node scripts/lint/vocabulary.mjs'),
      check('line-length', 'node scripts/lint/line-length.mjs'),
      check('state-machine', 'node scripts/docs/state-machine.mjs --check'),
      check('mongodb-indexes', 'node scripts/docs/mongodb-indexes.mjs --check'),
      check('microversions', 'node scripts/docs/microversions.mjs --check'),
    ),
    ...unit,
  ],
];
const EVERY_CHECK = checks({ policy: [POLICY], lint: ['.'], unit: [UNIT] });

/** The checks that the changes since the last pass concern. */
const neededChecks = ({ concernsAll, policy, folders, sources }) => {
  if (concernsAll || process.env.ALL !== undefined) return EVERY_CHECK;
  console.log(
    '== lint, policy and unit tests: what the changes since the last pass concern (all: ALL=1 make check)',
  );
  const related = `${JEST} --passWithNoTests --findRelatedTests ${sources.join(' ')}`;
  return checks({
    policy: policy ? [POLICY] : [],
    lint: folders,
    unit: sources.length === 0 ? [] : [jest('unit', related)],
  });
};

const LONG = [
  // The one waits for downloads, the others compute.
  [
    check('test-environment', 'scripts/test-env/install.sh'),
    check('policy-verify', 'node cli/bin/tenure.js policy verify'),
    check('policy-lint', 'node cli/bin/tenure.js policy lint'),
    check(
      'policy-differential',
      'node scripts/policy/differential.mjs policies-rego/bundle.tar.gz 20000 7',
    ),
  ],
  // The lab waits for a third of its time, each of the others needs one core. Those that start Tenure beside the others have
  // directories and ports of their own.
  [
    jest(
      'schemathesis',
      `TENURE_E2E_RUN=1 TENURE_E2E_RUN_DIR=.cache/schemathesis ${JEST} -c tests/jest.schemathesis.config.js`,
    ),
    jest(
      'lab',
      `TENURE_E2E_RUN=2 TENURE_E2E_RUN_DIR=.cache/lab ${JEST} -c tests/jest.lab.config.js`,
    ),
    oneAfterTheOther(
      check('k8s-schemas', 'scripts/k8s/check.sh'),
      jest('k8s', `${JEST} -c tests/jest.k8s.config.js --maxWorkers 1`),
      jest('oslo', `${JEST} -c tests/jest.oslo.config.js --maxWorkers 1`),
      jest('long', `${JEST} -c tests/jest.long.config.js --maxWorkers 1`),
      jest('contract', `scripts/test-env/with-mongo.sh ${JEST} -c tests/jest.contract.config.js`),
      jest('images', `scripts/test-env/with-mongo.sh ${JEST} -c tests/jest.images.config.js`),
    ),
  ],
  jest('e2e', `${JEST} -c tests/jest.config.js`),
  check('clean-tree', 'git diff --exit-code --stat && test -z "$(git status --porcelain)"'),
];

const lab = (store) =>
  check(`lab-${store}`, `scripts/test-env/lab.sh --minutes 60 --store ${store}`);

/** Too long for a run of its own for each change. The lab chooses a new seed each time, and prints it. */
const NIGHTLY = [
  lab('mongodb'),
  lab('sqlite'),
  jest(
    'e2e-every-case',
    `TENURE_TEST_EVERY_CASE=1 ${JEST} -c tests/jest.config.js custody-kills noninterference`,
  ),
  check('vm', `scripts/test-env/with-libvirt.sh ${JEST} -c tests/jest.vm.config.js`),
  check('tempest', 'scripts/test-env/run-tempest.sh'),
];

const RUNS = {
  check: neededChecks,
  all: () => [...EVERY_CHECK, ...LONG],
  nightly: () => NIGHTLY,
};

/** The results of a step, or of all that it consists of, in their order. */
const run = async (step) => {
  if (!('steps' in step)) return [await runOne(step)];
  const results = [];
  for (const each of step.steps) results.push(...(await run(each)));
  return results;
};

const runOne = async ({ name, command, report }) => {
  console.log(`\n== ${name}`);
  const started = Date.now();
  const full = report === undefined ? command : `${command} --json --outputFile=${report}`;
  const child = spawn('bash', ['-c', full], {
    stdio: ['ignore', report === undefined ? 'inherit' : 'ignore', 'inherit'],
  });
  const [status] = await once(child, 'close');
  console.log(
    `== ${name}: ${status === 0 ? 'ok' : `FAILED (status ${status})`} in ${((Date.now() - started) / 1000).toFixed(0)} s`,
  );
  return { name, status, ...counts(report, status) };
};

const counts = (report, status) => {
  if (report === undefined) return { passed: status === 0 ? 1 : 0, failed: status === 0 ? 0 : 1 };
  try {
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(
      readFileSync(report, 'utf8'),
    );
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    // A run that failed without a failing test (a crash, no test at all) is a failure all the same.
    return { passed: numPassedTests, failed: status !== 0 && failed === 0 ? 1 : failed };
  } catch {
    return { passed: 0, failed: 1 };
  }
};

const [, , name = ''] = process.argv;
if (!Object.hasOwn(RUNS, name)) {
  console.error('usage: node scripts/run-tests.mjs check|all|nightly');
  process.exit(2);
}
const changed = changes();
const results = [];
for (const step of RUNS[name](changed))
  results.push(...(await Promise.all([step].flat().map(run))).flat());
rmSync(scratch, { recursive: true, force: true });
console.log('');
for (const { name: step, passed, failed } of results)
  console.log(`${failed === 0 ? 'ok    ' : 'FAILED'} ${step}: ${passed} passed, ${failed} failed`);
const sum = (key) => results.reduce((total, result) => total + result[key], 0);
console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
if (name !== 'nightly' && sum('failed') === 0) changed.passed();
process.exit(sum('failed') === 0 ? 0 : 1);
