import { describe, expect, it } from '@jest/globals';
import { createPinoDecisionLog } from './decision-log-pino.js';
import { createLineBatch } from './line-batch.js';

const labels = { id: 'instance', version: '1.2.3' };
const entry = {
  decisionId: 'd-1',
  entrypoint: 'decision',
  input: { action: 'baremetal:node:get', password: 'secret' },
  resultText: '{"allow":false}',
  error: undefined,
  requestedBy: '127.0.0.1:4',
  requestId: 'req-1',
  revision: 'sha256:0',
  evaluationMs: 0.03,
  handlerMs: 0.05,
} as const;

const logged = (change: object): unknown => {
  const lines: string[] = [];
  const log = createPinoDecisionLog({ add: (line) => lines.push(line) }, labels);
  log.record({ ...entry, ...change });
  expect(lines.join('')).toMatch(/^[^\n]+\n$/);
  return JSON.parse(lines.join(''));
};

describe('the decision log', () => {
  it("writes one line in the fields of OPA's decision logs, masked", () => {
    expect(logged({})).toEqual({
      level: 'info',
      name: 'pdp',
      msg: 'Decision Log',
      type: 'openpolicyagent.org/decision_logs',
      labels,
      time: expect.any(String),
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      decision_id: 'd-1',
      path: 'tenure/authz/decision',
      requested_by: '127.0.0.1:4',
      req_id: 'req-1',
      input: { action: 'baremetal:node:get' },
      result: { allow: false },
      bundles: { tenure: { revision: 'sha256:0' } },
      metrics: { timer_rego_query_eval_ns: 30_000, timer_server_handler_ns: 50_000 },
    });
  });

  it('says of a failure what failed, and has no result then', () => {
    const line = logged({ resultText: undefined, error: 'the policy threw: "x"\n' });
    expect(line).toMatchObject({
      error: { code: 'evaluation_error', message: 'the policy threw: "x"\n' },
    });
    expect(line).not.toHaveProperty('result');
  });
});

describe('a line batch', () => {
  it('passes lines on together, in order, when flushed or full', () => {
    const written: string[] = [];
    const batch = createLineBatch({ write: (text) => written.push(text) });
    batch.add('a\n');
    batch.add('b\n');
    expect(written).toEqual([]);
    batch.flush();
    batch.flush();
    expect(written).toEqual(['a\nb\n']);
    batch.add('x'.repeat(64 * 1024));
    expect(written).toHaveLength(2);
  });
});
