import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { availableNode, type FleetNode, imported, stableNode } from '../support/fleet.js';
import { type Answer, ask } from '../support/http-client.js';
import {
  type OtlpReceiver,
  type ReceivedSpan,
  startOtlpReceiver,
} from '../support/otlp-receiver.js';
import { systemAdmin } from '../support/personas.js';
import { freePort } from '../support/processes.js';
import { startTenure, type Tenure } from '../support/tenure.js';
import { eventually } from '../support/wait.js';

// The spans that a collector gets of requests through every part. It is a listener of this suite, so each span is seen as sent.

let receiver: OtlpReceiver;
let tenure: Tenure;
let node: FleetNode;

const settings = (url: string): Record<string, string> => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_BSP_SCHEDULE_DELAY: '200',
});

const requestIdOf = ({ headers }: Answer): string => headers['x-openstack-request-id'] ?? '';

/** The spans of the trace of a request, once there are those for which it waits. */
async function traceOf(answer: Answer, ...awaited: readonly string[]) {
  const found = await eventually(
    () => {
      const all = receiver.spans();
      const isRoot = ({ service, attributes }: ReceivedSpan): boolean =>
        service === 'tenure-gateway' && attributes['tenure.request_id'] === requestIdOf(answer);
      const root = all.find(isRoot);
      return { root, spans: all.filter(({ traceId }) => traceId === root?.traceId) };
    },
    ({ root, spans }) =>
      root !== undefined && awaited.every((name) => spans.some((span) => span.name === name)),
    { within: 20_000, what: `trace of ${requestIdOf(answer)}` },
  );
  const { root, spans } = found;
  if (root === undefined) throw new Error('no span of the request itself');
  /** Names from the root down to the span of that name, with the part that made each. */
  const wayTo = (name: string, service: string): string[] => {
    const way: string[] = [];
    let span = spans.find((one) => one.name === name && one.service === service);
    while (span !== undefined) {
      way.unshift(`${span.service}: ${span.name}`);
      const above = span.parentSpanId;
      span = spans.find(({ spanId }) => spanId === above);
    }
    return way;
  };
  return { root, spans, wayTo };
}

/** Every record of the decision point's log. */
function decisionRecords(): Record<string, unknown>[] {
  const directory = path.join(tenure.dataDir, 'decisions');
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => readFileSync(path.join(directory, name), 'utf8').trimEnd().split('\n'))
    .map((line) => JSON.parse(line) as Record<string, unknown>); // lines of JSON objects, by contract
}

beforeAll(async () => {
  receiver = await startOtlpReceiver();
  tenure = await startTenure('tracing', settings(receiver.url));
  node = await imported(tenure, availableNode('traced'));
});

afterAll(async () => {
  await tenure.stop();
  await receiver.stop();
});

describe('traces', () => {
  it('show a read in one trace: the caller, the owner of the node, the decision, and the answer', async () => {
    const answer = await ask(tenure, systemAdmin, `GET /v1/nodes/${node.uuid}`);
    expect(answer.status).toBe(200);
    const { root, wayTo } = await traceOf(answer, 'evaluate decision', 'forward');
    const gateway = `tenure-gateway: ${root.name}`;
    expect(root).toMatchObject({
      kind: 2,
      parentSpanId: undefined,
      attributes: {
        'http.request.method': 'GET',
        'http.response.status_code': 200,
        'tenure.decision_id': answer.headers['x-tenure-decision-id'],
        'tenure.action': 'baremetal:node:get',
      },
    });
    expect(root.name).toMatch(/^GET \/v1\/nodes\/[^0-9]+$/u);
    expect(wayTo('authentication', 'tenure-gateway')).toEqual([
      gateway,
      'tenure-gateway: authentication',
    ]);
    expect(wayTo('GET inventory', 'tenure-gateway')).toEqual([
      gateway,
      'tenure-gateway: authorization',
      'tenure-gateway: tenancy',
      'tenure-gateway: GET inventory',
    ]);
    expect(wayTo('evaluate decision', 'tenure-pdp')).toEqual([
      gateway,
      'tenure-gateway: authorization',
      'tenure-gateway: decision',
      'tenure-pdp: evaluate decision',
    ]);
    const served = await traceOf(answer, 'GET /v1/nodes/:ident');
    expect(served.wayTo('GET /v1/nodes/:ident', 'tenure-inventory')).toEqual([
      gateway,
      'tenure-gateway: forward',
      'tenure-inventory: GET /v1/nodes/:ident',
    ]);
  });

  it('name the trace in the record of the decision and in the access log', async () => {
    const answer = await ask(tenure, systemAdmin, `GET /v1/nodes/${node.uuid}`);
    const { root, spans } = await traceOf(answer, 'evaluate decision');
    const evaluation = spans.find(({ name }) => name === 'evaluate decision');
    const decisionId = answer.headers['x-tenure-decision-id'];
    const record = await eventually(
      () => decisionRecords().find(({ decision_id: id }) => id === decisionId),
      (found) => found !== undefined,
      { within: 5000, what: 'record of the decision' },
    );
    expect(record).toMatchObject({ trace_id: root.traceId, span_id: evaluation?.spanId });
    await eventually(
      () => tenure.log(),
      (log) =>
        log
          .split('\n')
          .some((line) => line.includes(requestIdOf(answer)) && line.includes(root.traceId)),
      { within: 5000, what: 'access line with the trace' },
    );
  });

  it('follow an order past its answer', async () => {
    const answer = await ask(tenure, systemAdmin, `PUT /v1/nodes/${node.uuid}/states/power`, {
      body: { target: 'power on' },
    });
    expect(answer.status).toBe(202);
    await stableNode(tenure, node.uuid);
    const { spans, wayTo } = await traceOf(answer, 'order power');
    const way = wayTo('order power', 'tenure-conductor');
    expect(way.slice(1)).toEqual([
      'tenure-gateway: forward',
      expect.stringMatching(/^tenure-conductor: PUT .*power$/u),
      'tenure-conductor: order power',
    ]);
    const order = spans.find(({ name }) => name === 'order power');
    expect(order).toMatchObject({
      attributes: { 'tenure.node': node.uuid, 'tenure.target': 'power on' },
      links: [{ traceId: order?.traceId, spanId: order?.parentSpanId }],
    });
  });

  it("do not let a client choose their ids, and refer to the client's trace in a link", async () => {
    const theirs = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
    const answer = await ask(tenure, systemAdmin, `GET /v1/nodes/${node.uuid}`, {
      // Sampled out, too: nobody may hide from ours in that way.
      headers: { traceparent: `00-${theirs.traceId}-${theirs.spanId}-00` },
    });
    const { root } = await traceOf(answer);
    expect(root.traceId).not.toBe(theirs.traceId);
    expect(root).toMatchObject({ parentSpanId: undefined, links: [theirs] });
  });

  it('hold neither tokens nor contexts', async () => {
    const answer = await ask(tenure, systemAdmin, `GET /v1/nodes?owner=someone-secret`);
    await traceOf(answer, 'forward');
    const token = await tenure.token(systemAdmin);
    expect(receiver.text()).not.toContain(token);
    expect(receiver.text()).not.toContain('eyJ');
    expect(receiver.text()).not.toContain('someone-secret');
  });
});

describe('traces that clients are trusted with', () => {
  it('are joined', async () => {
    const trusting = await startTenure('tracing-trust', {
      ...settings(receiver.url),
      GATEWAY_TRUST_TRACEPARENT: 'true',
    });
    try {
      const traceId = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1';
      const answer = await ask(trusting, systemAdmin, 'GET /v1/nodes', {
        headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01` },
      });
      const { root } = await traceOf(answer);
      expect(root).toMatchObject({ traceId, parentSpanId: 'b7ad6b7169203331' });
    } finally {
      await trusting.stop();
    }
  });
});

describe('a collector that is not there', () => {
  it('harms no request, and is counted', async () => {
    const port = await freePort();
    const alone = await startTenure('tracing-alone', {
      ...settings(`http://127.0.0.1:${String(port)}`),
      OTEL_EXPORTER_OTLP_TIMEOUT: '500',
    });
    try {
      const statuses = await Promise.all(
        Array.from(
          { length: 20 },
          async () => (await ask(alone, systemAdmin, 'GET /v1/nodes')).status,
        ),
      );
      expect(statuses).toEqual(statuses.map(() => 200));
      const lost = await eventually(
        async () => {
          const scraped = await fetch(
            `http://127.0.0.1:${alone.env['GATEWAY_ADMIN_PORT'] ?? ''}/metrics`,
          );
          return Number(
            /^tenure_trace_spans_total\{outcome="failed".*\} (\d+)$/mu.exec(
              await scraped.text(),
            )?.[1],
          );
        },
        (count) => count > 0,
        { within: 20_000, what: 'spans that were not taken' },
      );
      expect(lost).toBeGreaterThan(0);
      expect((await ask(alone, systemAdmin, 'GET /v1/nodes')).status).toBe(200);
    } finally {
      await alone.stop();
    }
  });
});
