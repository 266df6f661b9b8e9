// Prints what `opa test` said, for the bundle's manifest: node test-facts.mjs RESULTS.json COVERAGE.json
import { readFileSync } from 'node:fs';
import { testedSources } from './tested-sources.mjs';

const [results, { coverage }] = process.argv
  .slice(2)
  .map((file) => JSON.parse(readFileSync(file, 'utf8')));
/** A test of several cases counts as many, as `opa test` says it. */
const casesOf = (test) =>
  test.sub_results === undefined ? [test] : Object.values(test.sub_results).flatMap(casesOf);
const cases = results.flatMap(casesOf);
const failed = cases.filter(({ fail, error }) => fail || error).length;
const facts = { sources: testedSources(), passed: cases.length - failed, failed, coverage };
process.stdout.write(`${JSON.stringify(facts, undefined, 2)}\n`);
