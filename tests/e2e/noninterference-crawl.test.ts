import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isEveryCase } from '../support/every-case.js';
import { ask } from '../support/http-client.js';
import { inProject, type Persona, systemReader } from '../support/personas.js';
import { startTenure, type Tenure } from '../support/tenure.js';
import { type Seen, seenIn, showsB } from './noninterference/probe.js';
import { type Parameter, type ReadRoute, readRoutes } from './noninterference/routes.js';
import { A, B } from './noninterference/tenants.js';

// A asks everything that there is to read, with everything that B has in every place where something can be put.

let tenure: Tenure;
let routes: readonly ReadRoute[];

beforeAll(async () => {
  // Of its own: in one page of everything, B must be in it.
  tenure = await startTenure('crawl');
  await tenure.importDocument(A.document);
  await tenure.importDocument(B.document);
  routes = await readRoutes(tenure);
});

afterAll(() => tenure.stop());

interface Question {
  readonly target: string;
  /** The part of the request that names B. */
  readonly sent: string;
}

const OF_B = [...new Set(Object.values(B.names))];

/** A's own resource of the kind that the last segment before the braces lists. */
const OWN: Readonly<Record<string, string | undefined>> = {
  nodes: A.names['node'],
  ports: A.names['port'],
  portgroups: A.names['portgroup'],
  connectors: A.names['connector'],
  targets: A.names['target'],
  allocations: A.names['allocation'],
  leases: A.names['lease'],
  history: A.names['event'],
  bios: A.names['setting'],
};

const ownTarget = ({ path }: ReadRoute): string =>
  path.replaceAll(
    /([^/]+)\/\{[^}]+\}/gu,
    (_, collection: string) => `${collection}/${OWN[collection] ?? 'none'}`,
  );

/** The route about each of B's resources, in each place of its path. */
const pathQuestions = (route: ReadRoute): readonly Question[] =>
  route.inPath.flatMap(({ name }) =>
    OF_B.map((sent) => ({
      target: ownTarget({
        ...route,
        path: route.path.replace(`{${name}}`, encodeURIComponent(sent)),
      }),
      sent,
    })),
  );

const questionsOf = (base: string, { name, values }: Parameter): readonly Question[] =>
  (values ?? OF_B).map((value) => ({
    target: `${base}?${name}=${encodeURIComponent(value)}`,
    sent: value,
  }));

const everyQuestion = (): readonly Question[] =>
  routes.flatMap((route) => {
    const base = ownTarget(route);
    return [
      { target: base, sent: 'nothing' },
      ...route.inQuery.flatMap((parameter) => questionsOf(base, parameter)),
      ...pathQuestions(route),
    ];
  });

/** Every second question; in the nightly run every one. */
const everySecond = (first: 0 | 1): readonly Question[] =>
  everyQuestion().filter((_, index) => isEveryCase || index % 2 === first);

const AT_ONCE = 8;

/** Sends all of them; what a look at each answer says, in the order of the targets. */
async function saidOf(
  persona: Persona,
  questions: readonly Question[],
  look: (seen: Seen, target: string) => readonly string[],
): Promise<readonly string[]> {
  const found: string[] = [];
  const left = questions.values();
  const worker = async (): Promise<void> => {
    for (const { target, sent } of left) {
      const answer = await ask(tenure, persona, `GET ${target}`, { version: 'latest' });
      found.push(...look(seenIn(answer, sent), target));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return found.toSorted();
}

const targetsWhere = (
  persona: Persona,
  questions: readonly Question[],
  fulfils: (seen: Seen) => boolean,
): Promise<readonly string[]> =>
  saidOf(persona, questions, (seen, target) => (fulfils(seen) ? [target] : []));

const COLLECTIONS = [
  '/v1/allocations',
  '/v1/chassis',
  '/v1/chassis/detail',
  '/v1/nodes',
  '/v1/nodes/detail',
  '/v1/portgroups',
  '/v1/portgroups/detail',
  '/v1/ports',
  '/v1/ports/detail',
  '/v1/shards',
  '/v1/volume/connectors',
  '/v1/volume/targets',
];

const PARTS = [
  '',
  '/allocation',
  '/bios',
  '/children',
  '/firmware',
  '/history',
  '/inventory',
  '/portgroups',
  '/portgroups/detail',
  '/ports',
  '/ports/detail',
  '/states',
  '/traits',
  '/vifs',
  '/volume',
  '/volume/connectors',
  '/volume/targets',
];

describe('the crawl', () => {
  it('would find B: a caller that may see everything finds it in every collection and part', async () => {
    const expected = [
      ...COLLECTIONS,
      ...PARTS.map((part) => `/v1/nodes/${B.names['node'] ?? ''}${part}`),
    ].toSorted();
    const questions = expected.map((target) => ({ target, sent: 'nothing' }));
    expect(await targetsWhere(systemReader, questions, showsB)).toEqual(expected);
    // The crawl goes to all of these.
    const crawled = new Set(everyQuestion().map(({ target }) => target));
    expect(expected.filter((target) => !crawled.has(target))).toEqual([]);
  });

  it('is answered: A sees its own resources in the same places', async () => {
    const expected = [
      ...COLLECTIONS.filter((target) => !/chassis|shards/u.test(target)),
      ...PARTS.filter((part) => part !== '/allocation').map(
        (part) => `/v1/nodes/${A.names['node'] ?? ''}${part}`,
      ),
    ].toSorted();
    const questions = expected.map((target) => ({ target, sent: 'nothing' }));
    const answered = await targetsWhere(
      inProject(A.project, 'reader'),
      questions,
      ({ status }) => status === 200,
    );
    expect(answered).toEqual(expected);
  });

  it.each([
    ['an admin', inProject(A.project, 'admin'), everyQuestion],
    ['a reader', inProject(A.project, 'reader'), everyQuestion],
    ['a service account', inProject('service', 'service'), () => everySecond(0)],
    ['someone without a role', inProject(A.project), () => everySecond(1)],
  ])(
    'shows nothing of B to %s of another project, and makes nothing fail',
    async (_, persona, questions) => {
      const complaints = await saidOf(persona, questions(), (seen, target) => [
        ...(showsB(seen) ? [`${target} shows B`] : []),
        ...(seen.status >= 500 ? [`${target}: ${String(seen.status)}`] : []),
      ]);
      expect(complaints).toEqual([]);
    },
    240_000,
  );
});
