// Prints what `opa test` said, for the bundle's manifest: node test-facts.mjs RESULTS.json COVERAGE.json
import { readFileSync } from 'node:fs';
import { testedSources } from './tested-sources.mjs';

const [results, { coverage }] = process.argv
  .slice(2)
  .map((file) => JSON.parse(readFileSync(file, 'utf8')));
const failed = results.filter((test) => test.fail || test.error).length;
const facts = { sources: testedSources(), passed: results.length - failed, failed, coverage };
process.stdout.write(`${JSON.stringify(facts, undefined, 2)}\n`);
