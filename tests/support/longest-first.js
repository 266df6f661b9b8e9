import path from 'node:path';

/** Suites that take longest, the longest first, as a run on two cores showed: one of them at the end would be waited for alone. */
const LONGEST = [
  'noninterference',
  'replicas-lost',
  'replicas-rolling',
  'failure',
  'decisions',
  'crash-orders',
  'redfish-power',
  'access',
  'crash-parts',
  'fields',
  'crash-takeover',
  'switches-service',
  'nova',
  'leases',
  'conductors',
  'keystone-revocation',
  'keystone-tokens',
  'history',
  'replicas-stores',
  'agent-deploy',
  'crash-redfish',
  'rate-limits',
  'switches-deprecated',
  'switches-scope',
  'noninterference-crawl',
];

/** @param {{path: string}} test */
const rank = (test) => {
  const index = LONGEST.indexOf(path.basename(test.path, '.test.ts'));
  return index === -1 ? LONGEST.length : index;
};

/** The order in which free workers take suites; the same on every machine, whatever jest remembers of earlier runs. */
export default class LongestFirst {
  /** @param {{path: string}[]} tests */
  sort(tests) {
    return tests.toSorted(
      (a, b) => rank(a) - rank(b) || (a.path < b.path ? -1 : Number(a.path > b.path)),
    );
  }

  /** Nothing is remembered. */
  cacheResults() {}
}
