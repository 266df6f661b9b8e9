// Compares the outcome of each test with the list of those that pass.

const LINE = /^(?:"([^"]+)"|([^,"]+)),(\w+),/u;

/** The tests of each outcome, from subunit2csv's `test,status,start,stop` lines. A broken set-up counts as a failed test. */
export function readResults(csv) {
  const outcomes = { passed: [], failed: [], skipped: [] };
  const kinds = { success: 'passed', xfail: 'passed', skip: 'skipped' };
  for (const line of csv.trim().split('\n').slice(1)) {
    const [, quoted, plain, status] = LINE.exec(line.trim()) ?? [];
    const test = quoted ?? plain;
    if (test === undefined) throw new Error(`subunit2csv wrote what is no result: ${line}`);
    if (status === 'exists') continue;
    outcomes[kinds[status] ?? 'failed'].push(test);
  }
  return outcomes;
}

/** The tests of a list: one a line. */
export const readList = (text) => text.split('\n').filter((line) => line !== '');

/** @returns `lost`: listed, and did not pass. `gained`: passed, and is not listed. */
export function compare(listed, { passed }) {
  const now = new Set(passed);
  const before = new Set(listed);
  return {
    lost: listed.filter((test) => !now.has(test)),
    gained: passed.filter((test) => !before.has(test)).sort(),
  };
}
