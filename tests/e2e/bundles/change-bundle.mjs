// Makes a bundle from another: node change-bundle.mjs IN OUT '{"grants": {…}, "golden": [names], "sign": [id, file]}'
//   grants  rows of the action table to replace
//   golden  golden decisions to keep, by name
//   sign    the key's name and its file
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { signingKeyOf } from '../../../shared/policy/dist/index.js';
import {
  readBundleEntries,
  signBundle,
  writeBundleEntries,
} from '../../../shared/policy/dist/runtime/index.js';

const [from, to, text] = process.argv.slice(2);
const { grants = {}, golden, sign } = JSON.parse(text);
const entries = new Map(await readBundleEntries(readFileSync(from)));
const change = (name, alter) => {
  const value = JSON.parse(Buffer.from(entries.get(name)).toString('utf8'));
  entries.set(name, Buffer.from(JSON.stringify(alter(value))));
};
change('data.json', (data) => {
  for (const [action, names] of Object.entries(grants)) data.tenure.actions[action].grants = names;
  return data;
});
if (golden !== undefined) {
  change('tenure/golden.json', (cases) => cases.filter(({ name }) => golden.includes(name)));
}
const done =
  sign === undefined ? entries : signBundle(entries, signingKeyOf(readFileSync(sign[1]), sign[0]));
// Nobody must read half of it.
writeFileSync(`${to}.new`, writeBundleEntries(done));
renameSync(`${to}.new`, to);
