// Checks what `opa check` does not: METADATA, entrypoints, grant names, where role names stand.
// node annotations.mjs BUNDLE < output of `opa inspect -a -f json policies-rego`
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { hostBuiltins, loadBundle } from './bundle.mjs';

const ENTRYPOINTS = ['data.tenure.authz.batch', 'data.tenure.authz.decision'];
const FILTERS = [undefined, 'linkable', 'nodes_of_owner', 'rows'];
const ROLE =
  /"(admin|manager|member|reader|service|administrator|baremetal_admin|(baremetal_)?observer)"/;

const inspected = JSON.parse(readFileSync(0, 'utf8'));
const { policy, data } = await loadBundle(process.argv[2]);
const { actions, fields, grants, resources, switches } = data.tenure;
const problems = [];
const expect = (holds, problem) => {
  if (!holds) problems.push(problem);
};

const notes = inspected.annotations.map(({ annotations, path, location }) => ({
  ...annotations,
  path: path.map(({ value }) => value).join('.'),
  file: location.file,
}));
const packages = Object.entries(inspected.namespaces).filter(([, files]) =>
  files.some((file) => file.endsWith('.rego')),
);
for (const [name] of packages) {
  const note = notes.find((each) => each.scope === 'package' && each.path === name);
  expect(note?.title && note.description, `${name}: no title and description`);
  const schemas = (note?.schemas ?? []).map((each) => each.schema.map(({ value }) => value));
  const isAnnotated = isDeepStrictEqual(schemas, [['schema', 'question']]);
  expect(isAnnotated || /_test$|\.testing$/.test(name), `${name}: no schema of the input`);
}
const entrypoints = notes.filter((note) => note.entrypoint).map((note) => note.path);
expect(
  isDeepStrictEqual(entrypoints.sort(), ENTRYPOINTS),
  `entrypoints: ${entrypoints.join(', ')}`,
);

const catalogue = grants.catalogue;
for (const [action, row] of Object.entries(actions)) {
  for (const name of [...row.grants, ...(row.legacy ?? []), ...(row.own_project_unless ?? [])]) {
    expect(name in catalogue, `${action}: unknown grant ${name}`);
  }
  for (const name of [row.fallback, row.all].filter(Boolean)) {
    expect(name in actions, `${action}: unknown action ${name}`);
  }
  expect(['item', 'create', 'list', 'caller'].includes(row.kind), `${action}: kind ${row.kind}`);
  expect(!row.table || row.table in fields.tables, `${action}: unknown table ${row.table}`);
  expect(FILTERS.includes(row.filter), `${action}: unknown filter ${row.filter}`);
  expect(!row.switch || row.switch in switches, `${action}: unknown switch ${row.switch}`);
}
for (const [name, table] of Object.entries(fields.tables)) {
  const named = ['view', 'write', 'off'].flatMap((key) => Object.values(table[key] ?? {}));
  for (const action of [...named, table.see_all, table.update].filter(Boolean)) {
    expect(action in actions, `table ${name}: unknown action ${action}`);
  }
}
for (const [name, row] of Object.entries(resources)) {
  for (const action of [row.get, row.list].filter(Boolean)) {
    expect(action in actions, `resource ${name}: unknown action ${action}`);
  }
}

const files = packages.flatMap(([, each]) => each).filter((file) => !file.endsWith('_test.rego'));
for (const file of files.filter((each) => !each.includes('/tenure/grants/'))) {
  const found = ROLE.exec(readFileSync(file.replace(/^\//, ''), 'utf8'));
  expect(!found, `${file}: role name ${found?.[0]} outside tenure/grants`);
}

const host = Object.keys(hostBuiltins(policy));
expect(host.length === 0, `needs builtins of the host: ${host.join(', ')}`);

for (const problem of problems) process.stderr.write(`${problem}\n`);
process.stdout.write(
  `annotations: ${packages.length} packages, ${Object.keys(actions).length} actions,` +
    ` ${Object.keys(catalogue).length} grants, ${problems.length} problems\n`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
