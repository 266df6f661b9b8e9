import { describe, expect, it } from '@jest/globals';
import { createDecisionLog, stdoutSink } from './decision-log-sinks.js';
import { createLineBatch } from './line-batch.js';

const entry = {
  decisionId: 'd-1',
  entrypoint: 'decision',
  input: {},
  resultText: '{}',
  error: undefined,
  requestedBy: '',
  requestId: undefined,
  revision: '',
  evaluationMs: 0,
  handlerMs: 0,
} as const;

describe('the sinks of the decision log', () => {
  it('writes a line that says what it is among the lines of the process', () => {
    const lines: string[] = [];
    const log = createDecisionLog(
      ({ decisionId }) => `"decision_id":"${decisionId}"`,
      [stdoutSink({ add: (line) => lines.push(line) })],
    );
    expect(log.record(entry)).toBeUndefined();
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
      {
        level: 'info',
        name: 'pdp',
        msg: 'Decision Log',
        type: 'openpolicyagent.org/decision_logs',
        decision_id: 'd-1',
      },
    ]);
  });

  it('waits for every sink that returns a promise', async () => {
    const log = createDecisionLog(
      () => '',
      [
        { add: () => undefined },
        { add: () => Promise.resolve() },
        { add: () => Promise.reject(new Error('full')) },
      ],
    );
    await expect(log.record(entry)).rejects.toThrow('full');
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
