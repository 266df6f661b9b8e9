import { describe, expect, it } from '@jest/globals';
import { type DecisionRecord } from './decision-record.js';
import { inputMasks } from './input-masks.js';
import { recordTexts } from './record-text.js';

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
} as const satisfies DecisionRecord;

const recorded = (change: Partial<DecisionRecord>, masks: readonly string[] = []): unknown =>
  JSON.parse(`{${recordTexts(labels, inputMasks(masks))({ ...entry, ...change })}}`);

describe('the record of a decision', () => {
  it("is in the fields of OPA's decision logs, and says what it does not show", () => {
    expect(recorded({})).toEqual({
      labels,
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      decision_id: 'd-1',
      path: 'tenure/authz/decision',
      requested_by: '127.0.0.1:4',
      req_id: 'req-1',
      input: { action: 'baremetal:node:get' },
      erased: ['/input/password'],
      result: { allow: false },
      bundles: { tenure: { revision: 'sha256:0' } },
      metrics: { timer_rego_query_eval_ns: 30_000, timer_server_handler_ns: 50_000 },
    });
  });

  it('has no terminal control character, and the same value', () => {
    const acting = '\u0000\n\u001b[2J\u007f\u009b31m\u202e\u2066\u2028';
    const change = {
      input: { action: 'baremetal:node:get', subject: { user_id: acting } },
      resultText: JSON.stringify({ allow: false, reason: acting }),
    };
    expect(recordTexts(labels, inputMasks([]))({ ...entry, ...change })).toMatch(/^[\x20-\x7e]+$/u);
    expect(recorded(change)).toMatchObject({
      input: { subject: { user_id: acting } },
      result: { allow: false, reason: acting },
    });
  });

  it("names its trace in OPA's fields, where there is one", () => {
    const trace = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };
    expect(recorded({ trace })).toMatchObject({
      req_id: 'req-1',
      trace_id: 'a'.repeat(32),
      span_id: 'b'.repeat(16),
    });
  });

  it('names the error of a failure, and has no result then', () => {
    const record = recorded({ resultText: undefined, error: 'the policy threw: "x"\n' });
    expect(record).toMatchObject({
      error: { code: 'evaluation_error', message: 'the policy threw: "x"\n' },
    });
    expect(record).not.toHaveProperty('result');
  });

  it("follows the operator's masks", () => {
    expect(recorded({}, ['/input/action'])).toMatchObject({
      input: {},
      erased: ['/input/password', '/input/action'],
    });
  });
});
