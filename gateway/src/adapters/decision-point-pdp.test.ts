import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type Question } from '@tenure/contracts';
import { inSpan, type Span, useTracer } from '@tenure/process';
import { ALLOW } from '../testing/fakes.js';
import { createPdpClient, type PdpOptions } from './decision-point-pdp.js';

const question = (action: string, fields: string[] = []): Question => ({
  action,
  fields,
  subject: { user_id: 'u', project_id: 'p', system_scope: null, domain_id: null, roles: [] },
  resource: { type: 'none', owner: null, lessee: null, tenancy_revision: 0 },
  now: '2026-11-21T06:00:00Z',
});

type Inputs = Readonly<Record<string, Question>>;
interface Body {
  readonly inputs: Inputs;
  readonly traceparents?: Readonly<Record<string, string>>;
  readonly audit_limits?: Readonly<Record<string, number | null>>;
}

/** Milliseconds for a PDP that answers: the machine may be busy. */
const LONG_DEADLINE_MS = 20_000;

let server: Server | undefined;
const requests: Inputs[] = [];
const traces: Body['traceparents'][] = [];
const auditLimits: Body['audit_limits'][] = [];

/** A PDP that answers each question by its action. */
async function pdpThat(
  answer: (action: string) => unknown,
  status = 200,
  limits?: PdpOptions['auditLimits'],
): Promise<ReturnType<typeof createPdpClient>> {
  requests.length = 0;
  auditLimits.length = 0;
  traces.length = 0;
  const started = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const { inputs, traceparents, audit_limits } = JSON.parse(text) as Body; // the client's own body
      auditLimits.push(audit_limits);
      traces.push(traceparents);
      requests.push(inputs);
      const responses = Object.entries(inputs).map(([name, { action }]) => [name, answer(action)]);
      response
        .writeHead(status)
        .end(JSON.stringify({ responses: Object.fromEntries(responses) as unknown }));
    });
  });
  server = started;
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  const { port } = started.address() as AddressInfo; // a TCP server's address
  return createPdpClient({
    baseUrl: `http://127.0.0.1:${String(port)}`,
    token: undefined,
    auditLimits: limits,
  });
}

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

const granted = (action: string): unknown => ({ decision_id: `d-${action}`, result: ALLOW });

describe('questions of the same moment', () => {
  it('are sent in one request, and each gets its own answer', async () => {
    const pdp = await pdpThat(granted);
    const answers = await Promise.all(
      ['a', 'b', 'c'].map((action) =>
        pdp.decide(question(action), `req-${action}`, LONG_DEADLINE_MS),
      ),
    );
    pdp.close();
    expect(answers.map(({ decision_id }) => decision_id)).toEqual(['d-a', 'd-b', 'd-c']);
    expect(requests.map((inputs) => Object.keys(inputs))).toEqual([['req-a', 'req-b', 'req-c']]);
  });

  it('have no trace context while tracing is off', async () => {
    const pdp = await pdpThat(granted);
    await pdp.decide(question('a'), 'req-a', LONG_DEADLINE_MS);
    pdp.close();
    expect(traces).toEqual([undefined]);
  });

  it('keep each to the trace of its own request', async () => {
    const pdp = await pdpThat(granted);
    const said = () => undefined;
    const spanIn = (traceId: string): Span => {
      const place = { traceId, spanId: '1'.repeat(16), isSampled: true };
      return { place, rename: said, setAttributes: said, failed: said, end: said };
    };
    // A span below another is in its trace.
    useTracer({ start: (_name, _options, above) => spanIn(above?.traceId ?? 'none') });
    try {
      await Promise.all(
        ['a', 'b'].map((name) =>
          inSpan(spanIn(name.repeat(32)), () =>
            pdp.decide(question(name), `req-${name}`, LONG_DEADLINE_MS),
          ),
        ),
      );
    } finally {
      useTracer(undefined);
      pdp.close();
    }
    expect(traces).toEqual([
      {
        'req-a': `00-${'a'.repeat(32)}-${'1'.repeat(16)}-01`,
        'req-b': `00-${'b'.repeat(32)}-${'1'.repeat(16)}-01`,
      },
    ]);
  });

  it('fail alone when only one answer is odd', async () => {
    const pdp = await pdpThat(
      (action) => (action === 'b' ? { http_status_code: '500' } : granted(action)),
      207,
    );
    const outcomes = await Promise.allSettled(
      ['a', 'b'].map((action) => pdp.decide(question(action), `req-${action}`, LONG_DEADLINE_MS)),
    );
    pdp.close();
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });

  it('are refused with the PDP’s message when the share of the decision log is used up', async () => {
    const pdp = await pdpThat(
      () => ({
        http_status_code: '429',
        code: 'quota_exceeded',
        message: 'Quota exceeded for audit_bytes_per_day.',
        retry_after: 120,
      }),
      500,
    );
    const refused = pdp.decide(question('a'), 'req-a', LONG_DEADLINE_MS);
    await expect(refused).rejects.toMatchObject({
      code: 'quota_exceeded',
      status: 429,
      message: 'Quota exceeded for audit_bytes_per_day.',
      headers: { 'Retry-After': '120' },
    });
    pdp.close();
  });

  it('carry the limit of their project for the decision log, where an operator set one', async () => {
    const limits = new Map([['p', 60_000]]);
    const pdp = await pdpThat(granted, 200, {
      of: ({ project_id: project }) => limits.get(project ?? ''),
    });
    const elsewhere = { ...question('b'), subject: { ...question('b').subject, project_id: 'q' } };
    await Promise.all([
      pdp.decide(question('a'), 'req-a', LONG_DEADLINE_MS),
      pdp.decide(elsewhere, 'req-b', LONG_DEADLINE_MS),
    ]);
    pdp.close();
    expect(auditLimits).toEqual([{ 'req-a': 60_000 }]);
  });

  it('never share a name', async () => {
    const pdp = await pdpThat(granted);
    await Promise.all([
      pdp.decide(question('a'), 'req-1', LONG_DEADLINE_MS),
      pdp.decide(question('b'), 'req-1', LONG_DEADLINE_MS),
    ]);
    pdp.close();
    expect(requests.map((inputs) => Object.values(inputs).map(({ action }) => action))).toEqual([
      ['a'],
      ['b'],
    ]);
  });

  it('are at most 64 in one request', async () => {
    const pdp = await pdpThat(granted);
    await Promise.all(
      Array.from({ length: 65 }, (_, index) =>
        pdp.decide(question('a'), `req-${String(index)}`, LONG_DEADLINE_MS),
      ),
    );
    pdp.close();
    expect(requests.map((inputs) => Object.keys(inputs).length)).toEqual([64, 1]);
  });

  it('wait for the next request when they would make this one larger than 1 MiB', async () => {
    const pdp = await pdpThat(granted);
    const fields = Array<string>(190).fill(`/${'f'.repeat(1020)}`);
    await Promise.all(
      ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((action) =>
        pdp.decide(question(action, fields), `req-${action}`, LONG_DEADLINE_MS),
      ),
    );
    pdp.close();
    expect(requests.map((inputs) => Object.keys(inputs).join(' ')).sort()).toEqual([
      'req-a req-b req-c req-d req-e',
      'req-f req-g',
    ]);
  });

  it('larger than 200 KiB are refused before they wait with others', async () => {
    const pdp = await pdpThat(granted);
    const fields = Array<string>(201).fill(`/${'f'.repeat(1020)}`);
    const outcomes = await Promise.allSettled([
      pdp.decide(question('a', fields), 'req-a', LONG_DEADLINE_MS),
      pdp.decide(question('b'), 'req-b', LONG_DEADLINE_MS),
    ]);
    pdp.close();
    expect(outcomes).toMatchObject([
      { status: 'rejected', reason: { status: 413 } },
      { status: 'fulfilled' },
    ]);
    expect(requests.map((inputs) => Object.keys(inputs))).toEqual([['req-b']]);
  });

  it('are refused, each at its own deadline, while the PDP is silent', async () => {
    const pdp = await pdpThat(() => {
      throw new Error('not reached');
    });
    server?.removeAllListeners('request');
    await expect(pdp.decide(question('a'), 'req-1', 50)).rejects.toMatchObject({ status: 503 });
    pdp.close();
  });
});
