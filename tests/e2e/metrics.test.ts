import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { availableNode, imported, stableNode } from '../support/fleet.js';
import { ask } from '../support/http-client.js';
import { root } from '../support/paths.js';
import { inProject, newProject, systemAdmin } from '../support/personas.js';
import { documentedName, metricsIn } from '../support/promql.js';
import { type RedisServer, startRedis } from '../support/redis-server.js';
import { type Metric, parseExposition, scrape } from '../support/scrape.js';
import { startStubOpenStack, type StubOpenStack } from '../support/stub-openstack.js';
import { type Part, parts, startTenure, type Tenure } from '../support/tenure.js';

// The metrics that every part of a running Tenure exposes, against docs/metrics.md, the dashboard and the alert rules.

/** Metrics of Node and its process, which are documented as families. */
const FAMILIES = /^(?:process|nodejs)_/u;
/** More series of one metric than this are the beginning of no end of them. */
const MAX_SERIES = 400;

interface Documented {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly about: string;
}

/** An item such as "- `name` (type; `label`, `label`): meaning"; long items continue on the next line. */
const ITEM =
  /^- `(?<name>[a-z0-9_]+)`\s+\((?<type>counter|gauge|histogram)(?:;(?<labels>(?:,?\s+`\w+`)+))?\):\s+(?<about>\w.+(?:\n {2}.+)*)$/gmu;

const documented: readonly Documented[] = [
  ...readFileSync(path.join(root, 'docs/metrics.md'), 'utf8').matchAll(ITEM),
].map(({ groups }) => ({
  name: groups?.['name'] ?? '',
  type: groups?.['type'] ?? '',
  labels: [...(groups?.['labels'] ?? '').matchAll(/`(\w+)`/gu)].map(([, label]) => label ?? ''),
  about: withoutMarkdown(groups?.['about'] ?? ''),
}));
const documentedNames: ReadonlySet<string> = new Set(documented.map(({ name }) => name));

/** Text on one line, without code marks and references in parentheses. */
function withoutMarkdown(text: string): string {
  return text
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/ \(\[[^\]]*\]\([^)]*\)\)/gu, '')
    .replaceAll('`', '');
}

/** Of every histogram: the bound of a bucket, which is no label of the metric itself. */
const labelsOf = ({ samples }: Metric): string[] => [
  ...new Set(
    samples
      .flatMap(({ labels }) => Object.keys(labels))
      .filter((name) => name !== 'le' && name !== 'part'),
  ),
];

let tenure: Tenure;
let openstack: StubOpenStack;
let redis: RedisServer;
let scraped: ReadonlyMap<Part, readonly Metric[]>;

const all = (): readonly (Metric & { readonly part: Part })[] =>
  [...scraped].flatMap(([part, metrics]) => metrics.map((metric) => ({ ...metric, part })));
const own = () => all().filter(({ name }) => !FAMILIES.test(name));

beforeAll(async () => {
  redis = await startRedis();
  openstack = await startStubOpenStack();
  tenure = await startTenure('metrics', {
    ...openstack.settings,
    REDIS_URL: redis.url,
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
  });
  const project = newProject('metrics');
  const member = inProject(project, 'member');
  const node = await imported(tenure, availableNode('metrics', { owner: project }));
  await ask(tenure, systemAdmin, `PUT /v1/nodes/${node.uuid}/states/power`, {
    body: { target: 'power on' },
  });
  await stableNode(tenure, node.uuid);
  for (const line of [
    'GET /v1/nodes',
    `GET /v1/nodes/${node.uuid}`,
    'GET /v1/nodes/no-such-node',
    `DELETE /v1/nodes/${node.uuid}`,
    'GET /v1/allocations',
    'GET /no/such/path/of/anything',
    'GET /v1/conductors',
  ])
    await ask(tenure, member, line);
  await ask(tenure, null, 'GET /v1/nodes');
  scraped = new Map(
    await Promise.all(parts.map(async (part) => [part, await scrape(tenure, part)] as const)),
  );
});

afterAll(async () => {
  await tenure.stop();
  await openstack.stop();
  await redis.stop();
});

describe('the metrics of a running Tenure', () => {
  it('are all in docs/metrics.md, and nothing is there that is not exposed', () => {
    const names = [...new Set(own().map(({ name }) => name))].sort();
    expect(names).toEqual([...documentedNames].sort());
  });

  it('have the types and labels that docs/metrics.md says', () => {
    for (const metric of own()) {
      const row = documented.find(({ name }) => name === metric.name);
      expect({ name: metric.name, type: metric.type }).toEqual({
        name: metric.name,
        type: row?.type,
      });
      expect(row?.labels).toEqual(expect.arrayContaining(labelsOf(metric)));
    }
  });

  it('have the help texts with which their items in docs/metrics.md begin', () => {
    for (const { name, help } of own()) {
      const about = documented.find((row) => row.name === name)?.about;
      expect(help).toMatch(/\.$/u);
      expect({ name, help: about?.slice(0, help.length) }).toEqual({ name, help });
    }
  });

  it('have names that say what they are, a help text, and the label of their part', () => {
    for (const { name, type, help, samples, part } of own()) {
      expect(name).toMatch(/^tenure_[a-z][a-z0-9_]*$/u);
      expect(help.length).toBeGreaterThan(10);
      expect({ name, isTotal: name.endsWith('_total') }).toEqual({
        name,
        isTotal: type === 'counter',
      });
      expect({ name, hasUnit: type !== 'histogram' || name.endsWith('_seconds') }).toEqual({
        name,
        hasUnit: true,
      });
      for (const { labels } of samples) expect(labels['part']).toBe(part);
    }
  });

  it('have no label of which there is no end', () => {
    for (const { name, samples } of all()) {
      expect({ name, isFew: samples.length <= MAX_SERIES }).toEqual({ name, isFew: true });
      const values = samples.flatMap(({ labels }) => Object.values(labels));
      for (const value of values) {
        expect(value).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/u);
        expect(value).not.toContain('no-such');
        expect(value).not.toContain('/no/such');
      }
    }
  });

  it('count a request in and out in every part that it came through', () => {
    for (const part of ['gateway', 'pdp', 'inventory', 'conductor', 'allocation'] as const) {
      const metrics = scraped.get(part) ?? [];
      const requests = metrics
        .find(({ name }) => name === 'tenure_http_request_duration_seconds')
        ?.samples.filter(({ name }) => name.endsWith('_count'));
      expect(requests?.reduce((sum, { value }) => sum + value, 0)).toBeGreaterThan(0);
      const inFlight = metrics.find(({ name }) => name === 'tenure_http_requests_in_flight');
      expect(inFlight?.samples.map(({ value }) => value)).toEqual([expect.any(Number)]);
      expect(inFlight?.samples[0]?.value).toBeLessThan(5);
    }
  });

  it('count what the policy refused by its action', () => {
    const denials = own().find(({ name }) => name === 'tenure_gateway_denials_total');
    expect(denials?.samples.map(({ labels, value }) => [labels['action'], value])).toContainEqual([
      'baremetal:node:delete',
      1,
    ]);
  });

  it('count the answers of Redis and Keystone', () => {
    const calls = own().find(
      ({ name, part }) => name === 'tenure_dependency_call_duration_seconds' && part === 'gateway',
    );
    const seen = new Set(calls?.samples.map(({ labels }) => labels['dependency']));
    expect([...seen]).toEqual(expect.arrayContaining(['redis', 'keystone', 'inventory', 'pdp']));
  });
});

describe('a text that is no exposition', () => {
  it('is exposed', () => {
    expect(() => parseExposition('a_total 1\n')).toThrow('a sample out of place');
    expect(() => parseExposition('# TYPE a_total counter\n')).toThrow('TYPE without HELP');
  });
});

interface Dashboard {
  readonly uid: string;
  readonly panels: readonly {
    readonly id: number;
    readonly type: string;
    readonly title: string;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
}
interface Rules {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly labels: Readonly<Record<string, string>>;
      readonly annotations: Readonly<Record<string, string>>;
    }[];
  }[];
}

const unknownIn = (expression: string): readonly string[] =>
  metricsIn(expression).filter(
    (name) => !FAMILIES.test(name) && !documentedNames.has(documentedName(name, documentedNames)),
  );

describe('the dashboard for Grafana', () => {
  const dashboard = JSON.parse(
    readFileSync(path.join(root, 'ops/grafana/tenure.json'), 'utf8'),
  ) as Dashboard; // our own file, whose shape the tests below look at

  it('asks in Prometheus’ language, for metrics that there are', () => {
    const expressions = dashboard.panels.flatMap(({ targets = [] }) =>
      targets.map(({ expr }) => expr),
    );
    expect(expressions.length).toBeGreaterThan(50);
    for (const expression of expressions) {
      expect(metricsIn(expression).length).toBeGreaterThan(0);
      expect(unknownIn(expression)).toEqual([]);
    }
  });

  it('has panels of different ids, and a row for each subject', () => {
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(dashboard.panels.filter(({ type }) => type === 'row').map(({ title }) => title)).toEqual(
      [
        'Traffic',
        'Latency',
        'Decisions',
        'Decision point and bundles',
        'Decision log',
        'Conductors: power sync and orders',
        'Leases',
        'Allocations and servers',
        'Redis, MongoDB, Keystone and the parts',
        'Admission, readers and budgets',
        'Processes',
      ],
    );
  });

  it('shows every metric of ours somewhere', () => {
    const charted = new Set(
      dashboard.panels
        .flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => metricsIn(expr)))
        .map((name) => documentedName(name, documentedNames)),
    );
    expect([...documentedNames].filter((name) => !charted.has(name))).toEqual([]);
  });
});

describe('the alert rules', () => {
  const { groups } = parse(
    readFileSync(path.join(root, 'ops/prometheus/alerts.yaml'), 'utf8'),
  ) as Rules; // our own file, whose shape the tests below look at
  const rules = groups.flatMap((group) => group.rules);
  const runbook = readFileSync(path.join(root, 'docs/alerts.md'), 'utf8');

  it('ask in Prometheus’ language, for metrics that there are', () => {
    expect(rules.length).toBeGreaterThan(10);
    for (const { expr } of rules) {
      expect(metricsIn(expr).length).toBeGreaterThan(0);
      expect(unknownIn(expr)).toEqual([]);
    }
  });

  it('name the problem, its severity and its runbook', () => {
    for (const { alert, labels, annotations } of rules) {
      expect(['page', 'ticket']).toContain(labels['severity']);
      expect(annotations['summary']).toMatch(/\.$/u);
      expect(annotations['description']).toMatch(/\.$/u);
      expect(annotations['runbook']).toBe(`docs/alerts.md#${alert.toLowerCase()}`);
      expect(runbook).toContain(`## ${alert}\n`);
    }
  });

  it('could not be written wrongly without being noticed', () => {
    expect(() => metricsIn('sum(rate(tenure_gateway_requests_total[5m])')).toThrow('no PromQL');
    expect(unknownIn('rate(tenure_no_such_total[5m]) > 0')).toEqual(['tenure_no_such_total']);
  });
});
