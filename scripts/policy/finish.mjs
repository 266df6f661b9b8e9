// Writes into a bundle how it was made and, with GOLDEN, decisions that it must give wherever it is loaded:
//   node finish.mjs BUNDLE COMPILER_VERSION [GOLDEN TESTS]
// The same files give the same bytes. Fails, and names the decision, when the bundle does not decide so.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import {
  checkGolden,
  GOLDEN_FILE,
  parseGolden,
  policyDataOf,
} from '../../shared/policy/dist/index.js';
import {
  createWasmPolicy,
  readBundleEntries,
  writeBundleEntries,
} from '../../shared/policy/dist/runtime/index.js';
import { testedSources } from './tested-sources.mjs';

const MAXIMUM_PAGES = 2048;
const [bundle, version, golden, tests] = process.argv.slice(2);
const entries = new Map(await readBundleEntries(readFileSync(bundle)));
const json = (name) => JSON.parse(Buffer.from(entries.get(name)).toString('utf8'));

/** Digest of what was compiled, as the bundle shows it. */
const sourcesOf = () => {
  const hash = createHash('sha256');
  const sources = [...entries].filter(([name]) => name.endsWith('.rego') || name === 'data.json');
  for (const [name, content] of sources.sort(([one], [other]) => (one < other ? -1 : 1)))
    hash.update(`${createHash('sha256').update(content).digest('hex')}  ${name}\n`);
  return `sha256:${hash.digest('hex')}`;
};

/** The test results for exactly these sources; nothing when the tests were last run on others. */
const testsOf = (file) => {
  if (file === undefined || !existsSync(file)) return {};
  const { sources, passed, failed, coverage } = JSON.parse(readFileSync(file, 'utf8'));
  return sources === testedSources() ? { tests: { passed, failed }, coverage } : {};
};

if (golden !== undefined) {
  const text = readFileSync(golden, 'utf8');
  const data = policyDataOf({ data: json('data.json'), overlays: [] }, {});
  const policy = await createWasmPolicy(entries.get('policy.wasm'), data, {
    maximumPages: MAXIMUM_PAGES,
  });
  for (const each of parseGolden(text)) checkGolden(each, policy.evaluate('decision', each.input));
  entries.set(GOLDEN_FILE, Buffer.from(text));
}
const tenure = {
  compiler: { name: 'opa', version, target: 'wasm' },
  sources: sourcesOf(),
  ...testsOf(tests),
};
const manifest = { ...json('.manifest'), metadata: { tenure } };
entries.set('.manifest', Buffer.from(`${JSON.stringify(manifest)}\n`));
writeFileSync(bundle, writeBundleEntries(entries));
