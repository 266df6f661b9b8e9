import { describe, expect, it } from '@jest/globals';
import { AppError, type Decision } from '@tenure/contracts';
import { type JsonObject, memberOf } from '@tenure/policy';
import { type Asking, type DialectAnswer, type DialectRequest } from './dialect.js';
import { DIALECTS } from './dialects.js';

const ALLOWED: Decision = {
  allow: true,
  visible: true,
  reason: 'granted',
  grants: ['owner_member'],
  denied: [],
  filter: { mode: 'none', predicates: [] },
  fields: { masked: [], read_only: [] },
  set: {},
  revision: 'sha256:1',
};
const DENIED: Decision = {
  ...ALLOWED,
  allow: false,
  grants: [],
  reason: 'not_granted',
  denied: ['x'],
};
const HIDDEN: Decision = { ...DENIED, visible: false, reason: 'not_visible' };

interface FakeEngine {
  readonly questions: JsonObject[];
  readonly asking: Asking;
}

/** An engine that gives one answer to all questions, and records the questions. */
function saying(answer: (question: JsonObject) => Decision): FakeEngine {
  const questions: JsonObject[] = [];
  return {
    questions,
    asking: {
      ask: (question) => {
        questions.push(question);
        return Promise.resolve({ decisionId: `d-${questions.length}`, decision: answer(question) });
      },
      askMany: (question, actions) => {
        questions.push({ ...question, actions });
        return Promise.resolve(
          Object.fromEntries(actions.map((action) => [action, answer({ ...question, action })])),
        );
      },
      tables: {
        actions: {
          'baremetal:node:get': { kind: 'item', grants: [] },
          'baremetal:node:list': { kind: 'list', grants: [] },
          'baremetal:node:delete': { kind: 'item', grants: [] },
          'baremetal:node:create': { kind: 'create', grants: [] },
          'os_compute_api:servers:delete': { kind: 'item', grants: [] },
        },
        resources: {
          none: {},
          node: { relations: { owner: 'owner', lessee: 'lessee' }, get: 'baremetal:node:get' },
          server: { relations: { owner: 'server_project' }, creator: true },
        },
      },
      now: () => '2026-11-21T06:00:00Z',
      publicUrl: 'https://pdp.test',
    },
  };
}

async function answerTo(
  request: Partial<DialectRequest> & { readonly path: string; readonly json?: unknown },
  { asking }: Pick<FakeEngine, 'asking'>,
): Promise<DialectAnswer> {
  const { json, ...rest } = request;
  const dialect = DIALECTS.find(({ answers }) => answers(request.path));
  if (dialect === undefined) throw new Error('nobody answers');
  return dialect.answer(
    {
      method: 'POST',
      headers: {},
      body: Buffer.from(json === undefined ? '' : JSON.stringify(json)),
      ...rest,
    },
    asking,
  );
}

const bodyOf = ({ body }: DialectAnswer): unknown => JSON.parse(body);

const evaluation = {
  subject: { type: 'user', id: 'ann', properties: { project_id: 'p', roles: ['member'] } },
  action: { name: 'baremetal:node:get', properties: { fields: ['/extra'] } },
  resource: {
    type: 'node',
    id: 'n-1',
    properties: { owner: 'p', lessee: 'q', tenancy_revision: 7, driver_info: 'secret' },
  },
};

describe('AuthZEN', () => {
  const evaluate = '/access/v1/evaluation';

  it('evaluates the question of an evaluation, with the reason', async () => {
    const engine = saying(() => ALLOWED);
    const answer = await answerTo(
      { path: evaluate, json: evaluation, headers: { 'x-request-id': 'abc' } },
      engine,
    );
    expect(engine.questions).toEqual([
      {
        action: 'baremetal:node:get',
        subject: { user_id: 'ann', project_id: 'p', roles: ['member'] },
        resource: { type: 'node', id: 'n-1', owner: 'p', lessee: 'q', tenancy_revision: 7 },
        fields: ['/extra'],
        now: '2026-11-21T06:00:00Z',
      },
    ]);
    expect(answer).toMatchObject({ status: 200, headers: { 'X-Request-ID': 'abc' } });
    expect(bodyOf(answer)).toMatchObject({
      decision: true,
      context: { id: 'd-1', reason: 'granted', grants: ['owner_member'] },
    });
  });

  it.each([DENIED, HIDDEN, { ...ALLOWED, visible: false }])('says no to %j', async (decision) => {
    const engine = saying(() => decision);
    expect(bodyOf(await answerTo({ path: evaluate, json: evaluation }, engine))).toMatchObject({
      decision: false,
    });
  });

  it.each([{}, { ...evaluation, subject: 'ann' }, { ...evaluation, action: {} }, undefined])(
    'refuses %j, which is no evaluation',
    async (json) => {
      await expect(
        answerTo(
          { path: evaluate, json },
          saying(() => ALLOWED),
        ),
      ).rejects.toMatchObject({
        status: 400,
      });
    },
  );

  const three = {
    ...evaluation,
    evaluations: ['baremetal:node:get', 'baremetal:node:delete', 'baremetal:node:list'].map(
      (name) => ({ action: { name } }),
    ),
  };
  const mayOnlyGet = (): FakeEngine =>
    saying(({ action }) => (action === 'baremetal:node:get' ? ALLOWED : DENIED));

  it.each([
    ['execute_all', [true, false, false]],
    ['deny_on_first_deny', [true, false]],
    ['permit_on_first_permit', [true]],
  ])('evaluates several with the semantic %s', async (evaluations_semantic, decisions) => {
    const json = { ...three, options: { evaluations_semantic } };
    const answer = bodyOf(await answerTo({ path: `${evaluate}s`, json }, mayOnlyGet()));
    expect(memberOf(answer, 'evaluations')).toMatchObject(
      decisions.map((decision) => ({ decision })),
    );
  });

  it('takes evaluations without a list as one', async () => {
    const answer = await answerTo({ path: `${evaluate}s`, json: evaluation }, mayOnlyGet());
    expect(bodyOf(answer)).toMatchObject({ decision: true });
  });

  it('finds the allowed actions of a subject', async () => {
    const { subject, resource } = evaluation;
    const answer = await answerTo(
      { path: '/access/v1/search/action', json: { subject, resource } },
      mayOnlyGet(),
    );
    expect(bodyOf(answer)).toMatchObject({ results: [{ name: 'baremetal:node:get' }] });
  });

  it('finds the kinds of callers that may, a page at a time', async () => {
    const engine = saying(({ subject }) =>
      memberOf(subject, 'project_id') === 'p' ? ALLOWED : DENIED,
    );
    const { action, resource } = evaluation;
    const json = { subject: { type: 'user' }, action, resource, page: { limit: 2 } };
    const path = '/access/v1/search/subject';
    expect(bodyOf(await answerTo({ path, json }, engine))).toEqual({
      results: [
        { type: 'user', id: 'reader@project:p' },
        { type: 'user', id: 'member@project:p' },
      ],
      page: { next_token: '2', count: 2, total: 5 },
    });
    const last = { ...json, page: { limit: 2, token: '4' } };
    expect(bodyOf(await answerTo({ path, json: last }, engine))).toEqual({
      results: [{ type: 'user', id: 'service@project:p' }],
      page: { next_token: '', count: 1, total: 5 },
    });
  });

  it('finds those of the resources that are named, or else kinds of them', async () => {
    const engine = saying(({ resource }) =>
      memberOf(resource, 'owner') === 'p' ? ALLOWED : DENIED,
    );
    const { subject, action } = evaluation;
    const json = { subject, action, resource: { type: 'node' } };
    const path = '/access/v1/search/resource';
    expect(bodyOf(await answerTo({ path, json }, engine))).toMatchObject({
      results: [{ type: 'node', id: 'owner:p' }],
    });
    const candidates = [
      { type: 'node', id: 'n-1', properties: { owner: 'q' } },
      { type: 'node', id: 'n-2', properties: { owner: 'p' } },
    ];
    const named = { ...json, context: { candidates } };
    expect(bodyOf(await answerTo({ path, json: named }, engine))).toMatchObject({
      results: [{ type: 'node', id: 'n-2' }],
    });
  });

  it('returns its endpoints as its configuration has them, not the request', async () => {
    const answer = await answerTo(
      {
        method: 'GET',
        path: '/.well-known/authzen-configuration',
        headers: { host: 'evil.test' },
      },
      saying(() => ALLOWED),
    );
    expect(bodyOf(answer)).toEqual({
      policy_decision_point: 'https://pdp.test',
      access_evaluation_endpoint: 'https://pdp.test/access/v1/evaluation',
      access_evaluations_endpoint: 'https://pdp.test/access/v1/evaluations',
      search_subject_endpoint: 'https://pdp.test/access/v1/search/subject',
      search_resource_endpoint: 'https://pdp.test/access/v1/search/resource',
      search_action_endpoint: 'https://pdp.test/access/v1/search/action',
    });
  });
});

describe("Envoy's external authorization", () => {
  const path = '/ext_authz/v1/nodes/n-1';
  const headers = {
    'x-tenure-action': 'baremetal:node:get',
    'x-tenure-subject': '{"user_id":"ann","roles":["member"]}',
    'x-tenure-resource': '{"type":"node","owner":"p"}',
  };

  it('evaluates the question of the headers, whatever the method, and answers by status', async () => {
    const engine = saying(() => ALLOWED);
    const answer = await answerTo({ path, method: 'DELETE', headers }, engine);
    expect(engine.questions).toEqual([
      {
        action: 'baremetal:node:get',
        subject: { user_id: 'ann', roles: ['member'] },
        resource: { type: 'node', owner: 'p' },
        now: '2026-11-21T06:00:00Z',
      },
    ]);
    expect(answer).toMatchObject({
      status: 200,
      headers: { 'x-tenure-decision-id': 'd-1', 'x-tenure-grants': 'owner_member' },
    });
  });

  it.each([
    [DENIED, 403],
    [HIDDEN, 404],
  ])('answers %j with %d', async (decision, status) => {
    expect(
      await answerTo(
        { path, headers },
        saying(() => decision),
      ),
    ).toMatchObject({ status });
  });

  it('answers an error with a refusal, which no setting of Envoy takes for an allow', () => {
    const dialect = DIALECTS.find(({ answers }) => answers(path));
    expect(dialect?.refusal?.(new AppError('policy_failed', 500, 'secret'))).toMatchObject({
      status: 403,
      body: 'no decision',
    });
  });
});

describe("oslo.policy's remote check", () => {
  const path = '/v1/oslo';
  const credentials = { user_id: 'ann', project_id: 'p', roles: ['member'], secret: 'x' };
  const target = { 'node.owner': 'p', 'node.lessee': null, uuid: 'n-1' };
  const question = {
    action: 'baremetal:node:get',
    subject: { user_id: 'ann', project_id: 'p', roles: ['member'] },
    resource: { type: 'node', id: 'n-1', owner: 'p', lessee: null, tenancy_revision: 0 },
    now: '2026-11-21T06:00:00Z',
  };
  const form = (rule: string): Buffer =>
    Buffer.from(
      new URLSearchParams({
        rule: JSON.stringify(rule),
        target: JSON.stringify(target),
        credentials: JSON.stringify(credentials),
      }).toString(),
    );

  it('evaluates the same question from a form and from JSON, and answers with the expected word', async () => {
    const engine = saying(() => ALLOWED);
    const byForm = await answerTo(
      {
        path,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: form('baremetal:node:get'),
      },
      engine,
    );
    const byJson = await answerTo(
      {
        path,
        headers: { 'content-type': 'application/json; charset=utf-8' },
        json: { rule: 'baremetal:node:get', target, credentials },
      },
      engine,
    );
    expect(engine.questions).toEqual([question, question]);
    expect([byForm.body, byJson.body]).toEqual(['True', 'True']);
  });

  it.each([DENIED, HIDDEN])('says False to %j', async (decision) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = form('baremetal:node:get');
    expect(
      await answerTo(
        { path, headers, body },
        saying(() => decision),
      ),
    ).toMatchObject({
      body: 'False',
    });
  });

  it('lets the policy check the owner of a resource that is about to be created', async () => {
    const engine = saying(() => ALLOWED);
    const headers = { 'content-type': 'application/json' };
    await answerTo(
      { path, headers, json: { rule: 'baremetal:node:create', target, credentials } },
      engine,
    );
    expect(engine.questions).toMatchObject([
      { resource: { type: 'none' }, requested: { owner: 'p' } },
    ]);
  });

  it("knows Nova's names for whose a server is", async () => {
    const engine = saying(() => ALLOWED);
    const headers = { 'content-type': 'application/json' };
    const server = { project_id: 'p', user_id: 'ben' };
    await answerTo(
      {
        path,
        headers,
        json: { rule: 'os_compute_api:servers:delete', target: server, credentials },
      },
      engine,
    );
    expect(engine.questions).toMatchObject([
      { resource: { type: 'server', owner: 'p', creator: 'ben' } },
    ]);
  });
});
