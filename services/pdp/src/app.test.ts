import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AppError, DecisionAnswer, matches } from '@tenure/contracts';
import { type Listener, startListener } from '@tenure/http';
import { memberOf, policyDataOf, PolicyOutOfMemory, type SwitchValues } from '@tenure/policy';
import { buildBundle, unpackBundle } from '@tenure/policy/testing';
import { createLogger, useTracer } from '@tenure/process';
import { wasmEngines } from './adapters/policy-engine-wasm.js';
import { createApp } from './app.js';
import { createDecisionPoint, type DecisionPointOptions } from './application/decision-point.js';
import { type DeprecatedUse } from './application/deprecation-notices.js';
import { type DecisionRecord } from './domain/decision-record.js';
import { anyClient, createClientCheck } from './http/client-tokens.js';
import { type PolicyEngine } from './ports/policy-engine.js';

const REVISION = 'sha256:test';
const DECISION = '/v1/data/tenure/authz/decision';
const silent = createLogger('test', 'fatal', { write: () => undefined });
const question = {
  action: 'baremetal:node:get',
  subject: {
    user_id: 'u',
    project_id: 'p',
    system_scope: null,
    domain_id: null,
    roles: ['reader'],
  },
  resource: { type: 'node', owner: 'p', lessee: null, tenancy_revision: 1 },
  now: '2026-11-21T06:00:00Z',
};

const listeners: Listener[] = [];
let records: DecisionRecord[] = [];
const outcomes: string[] = [];
let sane: PolicyEngine;
let open: PolicyEngine;
let hostile: PolicyEngine;
/** As the hostile one, but its memory ends long before its fuel. */
let hungry: PolicyEngine;
/** As the sane one, but its fuel ends before any answer. */
let slow: PolicyEngine;
const actions = { 'baremetal:node:get': { grants: ['owner_reader'], legacy: ['everybody'] } };

async function serve(
  engine: PolicyEngine,
  change: Partial<DecisionPointOptions> & { readonly tokens?: string } = {},
): Promise<string> {
  const { tokens, ...options } = change;
  const point = createDecisionPoint({
    policy: () => ({ engine, revision: REVISION, actions, resources: {} }),
    log: {
      admit: () => undefined,
      record: (entry) => {
        records.push(entry);
        return undefined;
      },
    },
    deprecation: { used: () => undefined },
    metrics: {
      answered: (outcome) => outcomes.push(outcome),
      deadlineExceeded: () => outcomes.push('late'),
    },
    ...options,
  });
  const isClient = tokens === undefined ? anyClient : createClientCheck(tokens);
  const listener = await startListener(
    createApp({ point, isClient, publicUrl: 'https://pdp.test', logger: silent }),
    {
      host: '127.0.0.1',
      port: 0,
      drainMs: 100,
    },
  );
  listeners.push(listener);
  return `http://127.0.0.1:${listener.port}`;
}

interface Answer {
  readonly status: number;
  readonly type: string | null;
  readonly body: unknown;
  readonly headers: Headers;
}

async function post(
  url: string,
  body: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'application/json', ...headers },
  });
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    body: await response.json(),
    headers: response.headers,
  };
}

let base: string;
beforeAll(async () => {
  const load = async (
    name: 'sane' | 'hostile',
    switches: SwitchValues = {},
    fuel = 3_000_000,
  ): Promise<PolicyEngine> => {
    const { wasm, data } = await unpackBundle(buildBundle(name));
    const make = await wasmEngines(512)(wasm, () => fuel);
    return make(policyDataOf({ data, overlays: [] }, switches));
  };
  sane = await load('sane');
  open = await load('sane', { open_access: true });
  hostile = await load('hostile');
  hungry = await load('hostile', {}, Infinity);
  slow = await load('sane', {}, 100);
  base = await serve(sane);
});
afterAll(async () => {
  await Promise.all(listeners.map((listener) => listener.stop()));
});

describe('an answer that a deprecated rule gave', () => {
  const foreign = { ...question, resource: { ...question.resource, owner: 'other' } };

  it('is reported with the action, the grants and the decision, alone or among many', async () => {
    const uses: DeprecatedUse[] = [];
    const url = await serve(open, { deprecation: { used: (use) => uses.push(use) } });
    const single = await post(`${url}${DECISION}`, JSON.stringify({ input: foreign }));
    expect(single.body).toMatchObject({ result: { allow: true, deprecated: ['everybody'] } });
    const batch = { ...foreign, actions: ['baremetal:node:get', 'baremetal:node:list'] };
    await post(`${url}/v1/data/tenure/authz/batch`, JSON.stringify({ input: batch }));
    expect(uses.map(({ action, grants }) => [action, grants])).toEqual([
      ['baremetal:node:get', ['everybody']],
      ['baremetal:node:get', ['everybody']],
    ]);
    expect(uses[0]?.decisionId).toBe(memberOf(single.body, 'decision_id'));
  });

  it('is not reported when a current rule grants it too', async () => {
    const uses: DeprecatedUse[] = [];
    const url = await serve(open, { deprecation: { used: (use) => uses.push(use) } });
    const { body } = await post(`${url}${DECISION}`, JSON.stringify({ input: question }));
    expect(body).toMatchObject({ result: { allow: true } });
    expect(uses).toEqual([]);
  });
});

describe('POST a batch of questions', () => {
  const BATCH = '/v1/batch/data/tenure/authz/decision';
  const foreign = { ...question, resource: { ...question.resource, owner: 'other' } };

  it('answers each under its own name, decided and logged by itself', async () => {
    records = [];
    const { status, body } = await post(
      `${base}${BATCH}`,
      JSON.stringify({ inputs: { 'req-1': question, 'req-2': foreign, 'req-3': null } }),
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({
      responses: {
        'req-1': { result: { allow: true, revision: REVISION } },
        'req-2': { result: { allow: false } },
        'req-3': { result: { allow: false } },
      },
    });
    expect(records.map(({ requestId }) => requestId)).toEqual(['req-1', 'req-2', 'req-3']);
    expect(new Set(records.map(({ decisionId }) => decisionId)).size).toBe(3);
  });

  it('puts each in the trace that is named for it, and one with a bad name in none', async () => {
    records = [];
    const parents: (string | undefined)[] = [];
    useTracer({
      start: (_name, { parent }) => {
        parents.push(parent?.traceId);
        const traceId = parent?.traceId ?? 'f'.repeat(32);
        const said = () => undefined;
        const place = { traceId, spanId: 'b'.repeat(16), isSampled: true };
        return { place, rename: said, setAttributes: said, failed: said, end: said };
      },
    });
    const traceparents = { 'req-1': `00-${'a'.repeat(32)}-${'c'.repeat(16)}-01`, 'req-2': 7 };
    try {
      const body = { inputs: { 'req-1': question, 'req-2': foreign }, traceparents };
      expect((await post(`${base}${BATCH}`, JSON.stringify(body))).status).toBe(200);
    } finally {
      useTracer(undefined);
    }
    expect(parents).toEqual(['a'.repeat(32), undefined]);
    expect(records.map(({ trace }) => trace?.traceId)).toEqual(['a'.repeat(32), 'f'.repeat(32)]);
  });

  it.each([
    ['no inputs', '{}'],
    ['a list of inputs', '{"inputs":[]}'],
    ['no questions', '{"inputs":{}}'],
    [
      '65 questions',
      JSON.stringify({
        inputs: Object.fromEntries(
          Array.from({ length: 65 }, (_, index) => [`q${index}`, question]),
        ),
      }),
    ],
  ])('is a 400 for %s', async (_what, body) => {
    expect((await post(`${base}${BATCH}`, body)).status).toBe(400);
  });

  it('reports which questions failed, and allows none of them', async () => {
    const failing = await serve({
      ...sane,
      evaluate: (entrypoint, input) => {
        if (input === null) throw new Error('broken');
        return sane.evaluate(entrypoint, input);
      },
    });
    const mixed = await post(
      `${failing}${BATCH}`,
      JSON.stringify({ inputs: { good: question, bad: null } }),
    );
    expect(mixed.status).toBe(207);
    expect(mixed.body).toMatchObject({
      responses: {
        good: { http_status_code: '200', result: { allow: true } },
        bad: { http_status_code: '500', code: 'policy_failed' },
      },
    });
    expect(JSON.stringify(mixed.body)).not.toContain('broken');
    expect((await post(`${failing}${BATCH}`, '{"inputs":{"bad":null}}')).status).toBe(500);
  });
});

describe('POST decision', () => {
  it.each(['', '?metrics', '?pretty=true&instrument'])('answers as OPA does%s', async (query) => {
    const { status, body } = await post(
      `${base}${DECISION}${query}`,
      JSON.stringify({ input: question }),
    );
    expect(status).toBe(200);
    expect(matches(DecisionAnswer, body)).toBe(true);
    expect(body).toMatchObject({
      result: { allow: true, grants: ['owner_reader'], revision: REVISION },
    });
  });

  it('answers curl, which calls JSON a form, and no real form', async () => {
    const curl = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const { status } = await post(`${base}${DECISION}`, JSON.stringify({ input: question }), curl);
    expect(status).toBe(200);
    expect((await post(`${base}${DECISION}`, 'input=1', curl)).status).toBe(400);
  });

  it('logs every answer once, under the id that it returned', async () => {
    records = [];
    const { body, headers } = await post(
      `${base}${DECISION}`,
      JSON.stringify({ input: question }),
      { 'X-Openstack-Request-Id': 'req-7' },
    );
    expect(headers.get('x-openstack-request-id')).toBe('req-7');
    expect(records).toHaveLength(1);
    expect(body).toMatchObject({ decision_id: records[0]?.decisionId });
    expect(records[0]).toMatchObject({ requestId: 'req-7', revision: REVISION });
  });

  it('does not log or echo a request id that could forge a log line', async () => {
    records = [];
    const { headers } = await post(`${base}${DECISION}`, '{}', {
      'X-Openstack-Request-Id': 'req-7","allow":true',
    });
    expect(headers.get('x-openstack-request-id')).toBeNull();
    expect(records[0]?.requestId).toBeUndefined();
  });

  it.each([
    ['no body', ''],
    ['no input', '{}'],
    ['null', '{"input":null}'],
    ['false', '{"input":false}'],
    ['a list', '{"input":[]}'],
    ['a lone surrogate', '{"input":{"action":"\\ud800"}}'],
    ['two inputs, the last of which counts', '{"input":{"action":"baremetal:node:get"},"input":0}'],
  ])('denies a question that is %s', async (_what, body) => {
    const answer = await post(`${base}${DECISION}`, body);
    expect(answer.status).toBe(200);
    expect(matches(DecisionAnswer, answer.body)).toBe(true);
    expect(answer.body).toMatchObject({ result: { allow: false, visible: false } });
  });
});

describe('POST batch', () => {
  it('answers every action, each with the revision', async () => {
    const { body } = await post(
      `${base}/v1/data/tenure/authz/batch`,
      JSON.stringify({
        input: { ...question, actions: ['baremetal:node:get', 'baremetal:node:list'] },
      }),
    );
    expect(body).toMatchObject({
      result: {
        'baremetal:node:get': { allow: true, revision: REVISION },
        'baremetal:node:list': { allow: false, revision: REVISION },
      },
    });
  });
});

describe('a malformed request', () => {
  const bad: readonly (readonly [string, string, number])[] = [
    ['malformed JSON', '{', 400],
    ['a list', '[]', 400],
    ['text', '"yes"', 400],
    ['bytes after the document', '{} x', 400],
    ['JSON nested too deep', `{"input":${'['.repeat(65)}${']'.repeat(65)}}`, 400],
    ['a __proto__ member', '{"input":{"__proto__":{}}}', 400],
    ['a body that is too large', `{"input":"${'x'.repeat(262_144)}"}`, 413],
    ['a body of megabytes', `{"input":"${'x'.repeat(3_000_000)}"}`, 413],
  ];
  it.each(bad)('is answered with a problem: %s', async (_what, body, status) => {
    const answer = await post(`${base}${DECISION}`, body);
    expect(answer.status).toBe(status);
    expect(answer.type).toBe('application/problem+json');
    expect(answer.body).not.toHaveProperty('result');
  });

  it.each([
    [{ 'Content-Type': 'text/plain' }, 415],
    [{ 'Content-Type': 'application/jsonp' }, 415],
    [{ 'Content-Encoding': 'gzip' }, 415],
    [{ 'Content-Type': 'application/json; charset=utf-8' }, 200],
  ])('is refused by its headers %j: %d', async (headers, status) => {
    expect((await post(`${base}${DECISION}`, '{}', headers)).status).toBe(status);
  });

  it.each(['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])('%s is not served', async (method) => {
    const response = await fetch(`${base}${DECISION}`, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
  });

  it.each(['/', '/v1/data', '/v1/data/tenure/authz', `${DECISION}/allow`, '/v1/data/tenure'])(
    'there is no document %s',
    async (path) => {
      expect((await post(`${base}${path}`, '{}')).status).toBe(404);
    },
  );

  it('does no harm when its client disconnects in the middle', async () => {
    const socket = connect(Number(new URL(base).port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write(`POST ${DECISION} HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n{"inp`);
    socket.destroy();
    await once(socket, 'close');
    expect((await post(`${base}${DECISION}`, '{}')).status).toBe(200);
  });
});

describe('a policy that misbehaves', () => {
  it.each(['conflict', 'bare true', 'bare allow', 'nothing', 'echo'])(
    'is answered with a problem that nobody can take for an allow: %s',
    async (ask) => {
      records = [];
      const answer = await post(
        `${await serve(hostile)}${DECISION}`,
        JSON.stringify({ input: { ask, result: { allow: true } } }),
      );
      expect(answer.status).toBe(500);
      expect(answer.body).toEqual({
        type: 'about:blank',
        title: 'Internal Server Error',
        status: 500,
        detail: 'The policy could not be evaluated; access is denied.',
        code: 'policy_failed',
      });
      expect(records).toMatchObject([{ resultText: undefined, error: expect.any(String) }]);
    },
  );

  it('is a denial when the policy loops, and later questions are answered', async () => {
    const loops = await serve(hostile);
    const input = { ask: 'slow', size: 3000 };
    const [looping, ...others] = await Promise.all([
      post(`${loops}${DECISION}`, JSON.stringify({ input })),
      ...Array.from({ length: 5 }, () =>
        post(`${loops}${DECISION}`, JSON.stringify({ input: { ask: 'bare allow' } })),
      ),
    ]);
    expect(looping.status).toBe(503);
    expect(looping.body).not.toHaveProperty('result');
    expect(outcomes).toContain('late');
    // It answers; what it answers is no decision.
    expect(new Set(others.map(({ status }) => status))).toEqual(new Set([500]));
    expect(records.at(-1)?.error).toBe('the policy gave an answer that is not a decision');
  });

  it('is unavailable and no failure when a loop fills its memory before its time is over', async () => {
    const fills = await serve(hungry);
    const ask = (input: object): Promise<Answer> =>
      post(`${fills}${DECISION}`, JSON.stringify({ input }));
    for (let round = 0; round < 3; round += 1) {
      const answer = await ask({ ask: 'slow', size: 100_000 });
      expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable' } });
      expect(answer.body).not.toHaveProperty('result');
    }
    expect(records.slice(-3).map(({ error }) => error)).toEqual(
      Array.from({ length: 3 }, () => 'The policy took too much memory; access is denied.'),
    );
    expect((await ask({ ask: 'bare allow' })).status).toBe(500);
  });

  it('is unavailable while there is no memory to start it again', async () => {
    const restarting: PolicyEngine = {
      ...sane,
      evaluate: () => {
        throw new PolicyOutOfMemory('the policy cannot be restarted');
      },
    };
    const answer = await post(
      `${await serve(restarting)}${DECISION}`,
      JSON.stringify({ input: question }),
    );
    expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable' } });
  });

  it('is a denial when it takes longer than the deadline, even if it allows', async () => {
    const ask = async (engine: PolicyEngine): Promise<Answer> =>
      post(`${await serve(engine)}${DECISION}`, JSON.stringify({ input: question }));
    expect((await ask(sane)).body).toMatchObject({ result: { allow: true } });
    const answer = await ask(slow);
    expect(answer.status).toBe(503);
    expect(answer.body).not.toHaveProperty('result');
    expect(outcomes.slice(-2)).toEqual(['late', 'error']);
  });
});

describe('a question above the share of the log', () => {
  const usedUp = () => {
    throw new AppError('quota_exceeded', 429, 'Quota exceeded for audit_bytes_per_day: later.', {
      headers: { 'Retry-After': '60' },
    });
  };

  it('is refused with Retry-After before it is decided', async () => {
    const before = [records.length, outcomes.length];
    const full = await serve(sane, { log: { admit: usedUp, record: () => undefined } });
    const answer = await post(`${full}${DECISION}`, JSON.stringify({ input: question }));
    expect(answer).toMatchObject({
      status: 429,
      body: {
        code: 'quota_exceeded',
        status: 429,
        detail: 'Quota exceeded for audit_bytes_per_day: later.',
      },
    });
    expect(answer.headers.get('retry-after')).toBe('60');
    expect([records.length, outcomes.length]).toEqual(before);
  });

  it('is the only one of a batch that is refused, by the limit in the request', async () => {
    const limits: unknown[] = [];
    const tight = await serve(sane, {
      log: {
        admit: ({ auditLimit }) => {
          limits.push(auditLimit);
          if (auditLimit === 0) usedUp();
        },
        record: () => undefined,
      },
    });
    const answer = await post(
      `${tight}/v1/batch/data/tenure/authz/decision`,
      JSON.stringify({
        inputs: { a: question, b: question, c: question, d: question },
        audit_limits: { a: 0, b: null, c: 1.5 },
      }),
    );
    expect(limits).toEqual([0, null, undefined, undefined]);
    expect(answer).toMatchObject({
      status: 207,
      body: {
        responses: {
          a: {
            http_status_code: '429',
            code: 'quota_exceeded',
            message: 'Quota exceeded for audit_bytes_per_day: later.',
            retry_after: 60,
          },
          b: { http_status_code: '200' },
        },
      },
    });
  });
});

describe('clients', () => {
  it('need one of the tokens when there are tokens', async () => {
    const guarded = await serve(sane, { tokens: 'client-token-0123456789' });
    const ask = (headers: Record<string, string>): Promise<Answer> =>
      post(`${guarded}${DECISION}`, '{}', headers);
    const refused = await ask({});
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toBe('Bearer');
    expect((await ask({ Authorization: 'Bearer another-token-0123456' })).status).toBe(401);
    expect((await ask({ Authorization: 'Bearer client-token-0123456789' })).status).toBe(200);
  });
});

describe('GET /v1/policy/revision', () => {
  it('returns the revision in service', async () => {
    const response = await fetch(`${base}/v1/policy/revision`);
    expect(await response.json()).toEqual({ revision: REVISION });
  });
});
