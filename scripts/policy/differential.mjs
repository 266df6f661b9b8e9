// Asks the compiled policy and `opa eval` the same generated questions: node differential.mjs BUNDLE [COUNT] [SEED] [SOURCES]
// Any difference fails. Run from the repository's root; needs opa on PATH.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { loadBundle, withSwitches } from './bundle.mjs';
import { generator, questionMaker } from './questions.mjs';

const [
  bundle = 'policies-rego/bundle.tar.gz',
  count = '6000',
  seed = '20261121',
  sources = 'policies-rego',
] = process.argv.slice(2);

const SWITCHES = [
  {},
  { enforce_new_defaults: false },
  { project_admin_can_manage_own_nodes: true, rbac_service_role_elevated_access: true },
  { enforce_scope: false, enforce_new_defaults: false, rbac_service_role_elevated_access: true },
];

/** Decision and batch of every question, by one `opa eval`. */
function reference(questions, switches, folder) {
  const input = join(folder, 'input.json');
  writeFileSync(input, JSON.stringify({ questions, switches }));
  const query =
    '[[d, b] | some q in input.questions; s := object.union(data.tenure.switches, input.switches);' +
    ' d := data.tenure.authz.decision with input as q with data.tenure.switches as s;' +
    ' b := data.tenure.authz.batch with input as q with data.tenure.switches as s]';
  const args = ['eval', '-b', sources, '-i', input, '-f', 'json', query];
  const run = spawnSync('opa', args, { encoding: 'utf8', maxBuffer: 1 << 30, timeout: 120_000 });
  if (run.status !== 0)
    throw new Error(`opa eval failed: ${run.stderr}${run.stdout.slice(0, 2000)}`);
  return JSON.parse(run.stdout).result[0].expressions[0].value;
}

const { policy, data } = await loadBundle(bundle);
const evaluate = (question, entrypoint) => policy.evaluate(question, entrypoint)[0]?.result;

const make = questionMaker(generator(Number(seed)), {
  actions: Object.keys(data.tenure.actions).sort(),
  types: Object.keys(data.tenure.resources).sort(),
});
// what a question loses as JSON, it shall lose for both
const questions = Array.from({ length: Number(count) }, () => JSON.parse(JSON.stringify(make())));

const folder = mkdtempSync(join(tmpdir(), 'policy-differential-'));
let differences = 0;
let allowed = 0;
try {
  SWITCHES.forEach((switches, part) => {
    const mine = questions.filter((_, at) => at % SWITCHES.length === part);
    policy.setData(withSwitches(data, switches));
    reference(mine, switches, folder).forEach(([decision, batch], at) => {
      const compiled = [
        evaluate(mine[at], 'tenure/authz/decision'),
        evaluate(mine[at], 'tenure/authz/batch'),
      ];
      allowed += decision.allow ? 1 : 0;
      if (isDeepStrictEqual(compiled, [decision, batch])) return;
      differences += 1;
      if (differences > 5) return;
      const difference = { switches, question: mine[at], wasm: compiled, opa: [decision, batch] };
      process.stderr.write(`${JSON.stringify(difference, null, 1)}\n`);
    });
  });
} finally {
  rmSync(folder, { recursive: true });
}
process.stdout.write(
  `differential: ${questions.length} questions (seed ${seed}, ${allowed} allowed), ${differences} differences\n`,
);
process.exitCode = differences === 0 ? 0 : 1;
