import path from 'node:path';

/** Suites that take longest, the longest first, as a run on two cores showed: one of them at the end would be waited for alone. */
const LONGEST = [
  'custody-kills',
  'noninterference',
  'pdp-replicas',
  'replicas-rolling',
  'replicas-lost',
  'noninterference-crawl',
  'pdp-bundles',
  'failure',
  'access',
  'decisions',
  'switches-service',
  'fields',
  'crash-parts',
  'leases',
  'nova',
  'console',
  'servers-own',
  'crash-orders',
  'servers-nova',
  'servers-redfish',
  'switches-scope',
  'replicas-stores',
  'redfish-power',
  'tracing',
  'crash-takeover',
  'clients-refusals',
  'servers-clients',
  'clients',
  'crash-redfish',
  'servers-life',
  'keystone-tokens',
  'switches-deprecated',
  'agent-ipa',
  'sdk-nodes',
  'conductors',
  'custody-agents',
  'keystone-revocation',
  'servers-crash',
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
