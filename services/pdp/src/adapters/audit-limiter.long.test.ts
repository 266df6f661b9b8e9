import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { newestDecisions, verifyLog, publicKeysOf } from '@tenure/decision-log';
import { createRegistry, loadConfig } from '@tenure/process';
import { createPdpMetrics } from '../application/metrics.js';
import { decisionLogVariables } from '../config-decision-log.js';
import { openDecisionLog } from '../open-decision-log.js';

const silent = { info: () => undefined, error: () => undefined };
const CHAIN_BYTES = 80;

async function opened(dataDir: string, settings: Readonly<Record<string, string>>) {
  const registry = createRegistry('pdp');
  const config = loadConfig(decisionLogVariables, {
    TENURE_DATA_DIR: dataDir,
    PDP_INSTANCE: 'pdp-1',
    PDP_DECISION_LOG_SEGMENT_BYTES: '4096',
    ...settings,
  });
  const { log, close } = await openDecisionLog({
    config,
    version: '1.0.0',
    lines: { add: () => undefined },
    logger: silent,
    metrics: createPdpMetrics(registry, () => 0),
    revision: () => 'sha256:0',
  });
  const ask = async (project: string, auditLimit?: number | null): Promise<void> => {
    const input = { action: 'baremetal:node:get', subject: { project_id: project } };
    const request = { input, requestedBy: '127.0.0.1:1', requestId: `req-${project}` };
    log.admit({ ...request, auditLimit });
    await log.record({
      ...request,
      decisionId: `d-${project}`,
      entrypoint: 'decision',
      resultText: '{"allow":true}',
      error: undefined,
      revision: 'sha256:0',
      evaluationMs: 0,
      handlerMs: 0,
    });
  };
  return { ask, close, metrics: () => registry.metrics() };
}

const aDir = (): string => mkdtempSync(path.join(tmpdir(), 'tenure-audit-limiter-'));
const instanceDir = (dataDir: string): string => path.join(dataDir, 'decisions', 'pdp-1');

async function recordsIn(dataDir: string): Promise<readonly object[]> {
  const records: object[] = [];
  for await (const { record } of newestDecisions(path.join(dataDir, 'decisions')))
    records.push(record);
  return records.reverse();
}

async function isWhole(dataDir: string): Promise<unknown> {
  const keys = readFileSync(path.join(dataDir, 'keys', 'decision-log', 'public.pem'), 'utf8');
  return (await verifyLog(instanceDir(dataDir), 'pdp-1', publicKeysOf(keys))).findings;
}

describe('a project that floods the decision log', () => {
  it('is refused above its share, and the records of another stay in a log that verifies', async () => {
    const dataDir = aDir();
    const { ask, close, metrics } = await opened(dataDir, {
      PDP_DECISION_LOG_PROJECT_BYTES_PER_DAY: '20000',
      PDP_DECISION_LOG_SPACE_BYTES: '1048576',
    });
    await ask('quiet');
    let answered = 0;
    let refusals = 0;
    for (let n = 0; n < 2000; n += 1)
      await ask('loud').then(
        () => (answered += 1),
        (error: unknown) => {
          expect(error).toMatchObject({
            status: 429,
            code: 'quota_exceeded',
            message: expect.stringContaining('audit_bytes_per_day'),
            headers: { 'Retry-After': expect.stringMatching(/^\d+$/u) },
          });
          refusals += 1;
        },
      );
    await ask('quiet');
    await close();
    const records = await recordsIn(dataDir);
    // Members of one record of `loud`, without its place in the chain.
    const bytes = Buffer.byteLength(JSON.stringify(records[1])) - 63 + CHAIN_BYTES;
    expect(Math.abs(answered - 20_000 / bytes)).toBeLessThan(3);
    expect(refusals).toBe(2000 - answered);
    expect(records[0]).toMatchObject({ decision_id: 'd-quiet' });
    expect(records.filter((one) => JSON.stringify(one).includes('"d-quiet"'))).toHaveLength(2);
    expect(await isWhole(dataDir)).toEqual([]);
    expect(await metrics()).toContain(
      `tenure_pdp_decision_log_share_refusals_total{reason="share",part="pdp"} ${String(refusals)}`,
    );
  });

  it('has its refusals counted in one record, with caller and action', async () => {
    const dataDir = aDir();
    const { ask, close } = await opened(dataDir, {});
    for (let n = 0; n < 7; n += 1)
      await expect(ask('loud', 0)).rejects.toMatchObject({ status: 429 });
    await close();
    expect(await recordsIn(dataDir)).toEqual([
      expect.objectContaining({
        req_id: 'req-loud',
        input: {
          action: 'baremetal:node:get',
          subject: { project_id: 'loud', user_id: null },
        },
        error: {
          code: 'over_budget',
          message: expect.stringMatching(
            /^audit_bytes_per_day: 7 questions were refused since .*; this is the first$/u,
          ),
        },
      }),
    ]);
  });

  it('does not get a new share by a restart', async () => {
    const dataDir = aDir();
    const settings = { PDP_DECISION_LOG_PROJECT_BYTES_PER_DAY: '600' };
    const before = await opened(dataDir, settings);
    await before.ask('loud');
    await before.ask('loud');
    await before.close();
    const after = await opened(dataDir, settings);
    await expect(after.ask('loud')).rejects.toMatchObject({ status: 429 });
    await after.ask('quiet');
    await after.close();
  });
});

describe('a decision log whose space is used up', () => {
  const SMALL = {
    PDP_DECISION_LOG_SPACE_BYTES: '1048576',
    PDP_DECISION_LOG_PROJECT_BYTES_PER_DAY: '1000000000',
  };

  it('gives large writers a tenth once only the reserve is free, then refuses all, and loses nothing', async () => {
    const dataDir = aDir();
    const { ask, close, metrics } = await opened(dataDir, {
      ...SMALL,
      // A tenth of it is half a reserve.
      PDP_DECISION_LOG_PROJECT_BYTES_PER_DAY: '500000',
    });
    const outcomes = new Set<unknown>();
    const fill = async (project: string): Promise<void> => {
      for (;;)
        try {
          await ask(project);
        } catch (error) {
          outcomes.add(Reflect.get(error as object, 'status'));
          return;
        }
    };
    for (const project of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) await fill(project);
    expect(outcomes).toEqual(new Set([429, 503]));
    const text = await metrics();
    expect(text).toMatch(/share_refusals_total\{reason="reserve",part="pdp"\} [1-9]/u);
    expect(text).toMatch(/tenure_pdp_decision_log_space_bytes\{part="pdp"\} 1048576/u);
    await close();
    const first = (await recordsIn(dataDir))[0];
    expect(first).toMatchObject({ seq: 1, decision_id: 'd-a' });
    expect(await isWhole(dataDir)).toEqual([]);
    expect(readdirSync(instanceDir(dataDir))).toContain('retention.json');
  });
});
