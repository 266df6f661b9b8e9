import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Pool } from 'undici';
import { randomOf } from '../oslo/generator.js';
import { root, venvBin } from '../support/paths.js';
import { sharedTenure } from '../support/tenure.js';

// The same questions through every dialect of the decision point: one policy, one answer.

const COUNT = 10_000;
const CONNECTIONS = 16;
const BATCH = 50;

interface Question {
  readonly action: string;
  readonly subject: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>> & { readonly type: string };
  readonly requested?: { readonly owner: string };
}

const ACTIONS = [
  ...readFileSync(path.join(root, 'policies-rego/tenure/actions/data.yaml'), 'utf8').matchAll(
    /^(\S+):\n {2}kind: (\w+)/gmu,
  ),
].map(([, action = '', kind = '']) => ({ action, kind }));

/** oslo.policy sends no type: it follows from the action, and so these questions are about that type only. */
const TYPES = new Map([
  ['node', 'node'],
  ['port', 'port'],
  ['portgroup', 'portgroup'],
  ['allocation', 'allocation'],
  ['runbook', 'runbook'],
  ['servers', 'server'],
]);

/** OpenStack's name of the project in a column of a resource. */
const OSLO_OWNER = new Map([
  ['allocation', 'allocation.owner'],
  ['runbook', 'runbook.owner'],
  ['server', 'project_id'],
]);

const random = randomOf(20_261_121);
const oneOf = <T>(items: readonly [T, ...T[]]): T =>
  items[Math.floor(random() * items.length)] ?? items[0];

const PLACES: readonly [string | null, ...(string | null)[]] = ['p1', 'p2', 'p3', 'service', null];
const ROLES: readonly [string, ...string[]] = [
  'admin',
  'manager',
  'member',
  'Reader',
  'service',
  'observer',
];

function subject(): Question['subject'] {
  const scope = oneOf(['project', 'project', 'project', 'system', 'domain', 'none']);
  return {
    user_id: oneOf(['ann', 'ben', 'zoë']),
    project_id: scope === 'project' ? oneOf(PLACES) : null,
    system_scope: scope === 'system' ? 'all' : null,
    domain_id: scope === 'domain' ? 'default' : null,
    roles: [oneOf(ROLES), ...(random() < 0.3 ? [oneOf(ROLES)] : [])],
  };
}

const typed = ACTIONS.filter(
  ({ action, kind }) => kind === 'item' && TYPES.has(action.split(':')[1] ?? ''),
);

function question(): Question {
  const { action } = oneOf(typed as unknown as readonly [(typeof typed)[number]]); // not empty: asserted below
  const type = TYPES.get(action.split(':')[1] ?? '') ?? '';
  const hasLessee = ['node', 'port', 'portgroup'].includes(type);
  return {
    action,
    subject: subject(),
    resource: {
      type,
      id: 'some-resource',
      owner: oneOf(PLACES),
      lessee: hasLessee ? oneOf(PLACES) : null,
      tenancy_revision: 0,
      ...(type === 'server' && { creator: oneOf(['ann', 'ben', null]) }),
    },
  };
}

const questions = Array.from({ length: COUNT }, question);
const NOW = '2026-11-21T06:00:00Z';

let pool: Pool;
beforeAll(async () => {
  const tenure = await sharedTenure();
  pool = new Pool(`http://127.0.0.1:${String(tenure.ports.pdp)}`, { connections: CONNECTIONS });
});
afterAll(() => pool.close());

interface Sent {
  readonly path: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

async function send(request: Sent): Promise<{ readonly status: number; readonly text: string }> {
  const { statusCode, body } = await pool.request({ method: 'POST', ...request });
  return { status: statusCode, text: await body.text() };
}

const postJson = async (target: string, body: unknown): Promise<unknown> =>
  JSON.parse(
    (
      await send({
        path: target,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    ).text,
  );

/** Answers to all questions, some at a time. */
async function answers<T>(
  size: number,
  ask: (some: readonly Question[]) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const all: T[] = [];
  const step = size * CONNECTIONS;
  for (let start = 0; start < COUNT; start += step) {
    const rounds = Array.from({ length: CONNECTIONS }, (_, at) =>
      questions.slice(start + at * size, start + (at + 1) * size),
    ).filter((some) => some.length > 0);
    all.push(...(await Promise.all(rounds.map(ask))).flat());
  }
  return all;
}

const one =
  <T>(ask: (question: Question) => Promise<T>) =>
  async ([question]: readonly Question[]): Promise<readonly T[]> =>
    question === undefined ? [] : [await ask(question)];

/** OPA's Data API, many at once as the gateway asks. */
async function byDataApi(some: readonly Question[]): Promise<readonly boolean[]> {
  const inputs = Object.fromEntries(some.map((question, at) => [at, { ...question, now: NOW }]));
  const { responses } = (await postJson('/v1/batch/data/tenure/authz/decision', {
    inputs,
  })) as { responses: Record<string, { result: { allow: boolean; visible: boolean } }> };
  return some.map((_, at) => {
    const result = responses[String(at)]?.result;
    return result?.allow === true && result.visible;
  });
}

async function byAuthzen(some: readonly Question[]): Promise<readonly boolean[]> {
  const { evaluations } = (await postJson('/access/v1/evaluations', {
    evaluations: some.map(({ action, subject: who, resource }) => ({
      subject: { type: 'user', id: who['user_id'], properties: who },
      action: { name: action },
      resource: { type: resource.type, id: resource['id'], properties: resource },
      context: { now: NOW },
    })),
  })) as { evaluations: readonly { decision: boolean }[] };
  return evaluations.map(({ decision }) => decision);
}

/** A header holds ASCII: JSON says the rest with escapes. */
const headerJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[^ -~]/gu,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const byEnvoy = one(async ({ action, subject: who, resource }: Question): Promise<boolean> => {
  const { status } = await send({
    method: 'GET',
    path: '/ext_authz/v1/nodes/some-resource?x=1',
    headers: {
      'x-tenure-action': action,
      'x-tenure-subject': headerJson(who),
      'x-tenure-resource': headerJson(resource),
    },
  });
  return status === 200;
});

const byOslo = one(async ({ action, subject: who, resource }: Question): Promise<boolean> => {
  const owner = OSLO_OWNER.get(resource.type) ?? 'node.owner';
  const target = {
    [owner]: resource['owner'],
    ...(resource['lessee'] !== null && { 'node.lessee': resource['lessee'] }),
    ...('creator' in resource && { user_id: resource['creator'] }),
  };
  const form = new URLSearchParams({
    rule: JSON.stringify(action),
    target: JSON.stringify(target),
    credentials: JSON.stringify(who),
  });
  const { text } = await send({
    path: '/v1/oslo',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
  });
  return text === 'True';
});

describe('ten thousand questions through every dialect', () => {
  let expected: readonly boolean[];
  beforeAll(async () => {
    expected = await answers(BATCH, byDataApi);
  });

  it('are of many actions, some allowed and some not', () => {
    expect(typed.length).toBeGreaterThan(60);
    const allowed = expected.filter(Boolean).length;
    expect(expected).toHaveLength(COUNT);
    expect(allowed).toBeGreaterThan(1000);
    expect(COUNT - allowed).toBeGreaterThan(1000);
  });

  it.each([
    ['AuthZEN', () => answers(BATCH, byAuthzen)],
    ["Envoy's external authorization", () => answers(1, byEnvoy)],
    ["oslo.policy's remote check", () => answers(1, byOslo)],
  ])('are answered alike by %s', async (_, ask) => {
    const given = await ask();
    const different = questions.filter((__, at) => given[at] !== expected[at]);
    expect(different).toEqual([]);
  });
});

const OSLO = `
import json, sys
from oslo_config import cfg
from oslo_policy import policy

url, cases = sys.argv[1], json.loads(sys.argv[2])
answers = []
for content_type in ("application/x-www-form-urlencoded", "application/json"):
    conf = cfg.ConfigOpts()
    conf([])
    enforcer = policy.Enforcer(conf, use_conf=False)
    conf.set_override("remote_content_type", content_type, group="oslo_policy")
    enforcer.set_rules(policy.Rules.from_dict({"baremetal:node:get": url}), use_conf=False)
    answers.append([enforcer.enforce("baremetal:node:get", target, creds) for target, creds in cases])
print(json.dumps(answers))
`;

describe('oslo.policy itself', () => {
  it('is allowed and refused by a remote check, in either form of its request', async () => {
    const tenure = await sharedTenure();
    const member = { user_id: 'ann', project_id: 'p1', roles: ['member'] };
    const cases = [
      [{ 'node.owner': 'p1', 'node.lessee': null }, member],
      [{ 'node.owner': 'p2', 'node.lessee': 'p1' }, member],
      [{ 'node.owner': 'p2', 'node.lessee': null }, member],
      [{ 'node.owner': null }, { user_id: 'ann', roles: ['admin'] }],
    ];
    const url = `http://127.0.0.1:${String(tenure.ports.pdp)}/v1/oslo`;
    const { stdout } = await promisify(execFile)(path.join(venvBin, 'python'), [
      '-c',
      OSLO,
      url,
      JSON.stringify(cases),
    ]);
    const expected = [true, true, false, false];
    expect(JSON.parse(stdout)).toEqual([expected, expected]);
  });
});
