import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { deadlineIn, inSpan, type Span, useTracer } from '@tenure/process';
import { failureOf, RedfishBench } from '../../testing/redfish-bench.js';
import { STUB_SYSTEM, type StubBmc } from '../../testing/stub-bmc.js';

let bench: RedfishBench;
let bmc: StubBmc;

beforeEach(async () => {
  bench = await RedfishBench.open();
  ({ bmc } = bench);
});

afterEach(async () => {
  await bench.close();
});

describe('answers that are not to be trusted', () => {
  it('does not follow a redirect to another origin', async () => {
    const other = await bench.openBmc();
    bmc.faults.redirectTo = `${other.origin}${STUB_SYSTEM}`;
    expect(await failureOf(bench.state(bench.node()))).toMatchObject({ kind: 'redirect' });
    expect(other.requests).toEqual([]);
  });

  it('refuses an answer that is too large', async () => {
    bmc.faults.padding = 200_000;
    expect(await failureOf(bench.state(bench.node()))).toMatchObject({ kind: 'too_large' });
  });

  it('follows a redirect on the same host, as far as three times', async () => {
    bmc.faults.movedTo = '/redfish/v1/Systems/moved';
    bmc.faults.redirectTo = '/redfish/v1/Systems/moved';
    expect(await bench.state(bench.node())).toBe('power off');
    bmc.faults.redirectTo = STUB_SYSTEM;
    expect(await failureOf(bench.state(bench.node()))).toMatchObject({ kind: 'redirect' });
    // One read went well, one was led in a circle.
    expect(bmc.requests.filter(({ path }) => path === STUB_SYSTEM)).toHaveLength(5);
  });

  it('does not take a page for a resource', async () => {
    bmc.faults.page = true;
    expect(await failureOf(bench.state(bench.node()))).toMatchObject({
      kind: 'malformed',
      message: 'the answer of the BMC was not Redfish',
    });
  });

  it('does not wait for the end of an answer that drips', async () => {
    bmc.faults.drip = true;
    expect(await failureOf(bench.state(bench.node(), 1500))).toMatchObject({
      kind: 'timeout',
      message: 'the BMC is unreachable',
    });
  });

  it.each([
    'http://other.example/redfish/v1/Bios',
    '//other.example/Bios',
    '/\\other.example/Bios',
  ])('does not go where a link leads to another host (%s)', async (address) => {
    bmc.machine.partLinks['Bios'] = address;
    expect(await bench.driver.bios?.settings(bench.node(), deadlineIn(15_000))).toEqual([]);
    expect(bmc.requests.filter(({ path }) => path.includes('Bios'))).toEqual([]);
  });

  it('fails when an ETag is refused a second time', async () => {
    bmc.faults.etag = true;
    bmc.faults.etagMoves = 1000;
    const change = { device: 'pxe', persistent: true };
    expect(
      await failureOf(bench.driver.setBootDevice(bench.node(), change, deadlineIn(15_000))),
    ).toMatchObject({ kind: 'answer', message: 'the answer of the BMC was not Redfish' });
    expect(bench.changes()).toHaveLength(2);
  });
});

describe('calls to a BMC in a trace', () => {
  it('record host and path, but no credentials', async () => {
    const attributes: unknown[] = [];
    const said = () => undefined;
    const place = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), isSampled: true };
    const span: Span = {
      place,
      rename: said,
      setAttributes: (more) => attributes.push(more),
      failed: said,
      end: said,
    };
    useTracer({
      start: (name, options) => {
        attributes.push([name, options]);
        return span;
      },
    });
    try {
      await inSpan(span, () => bench.state(bench.node()));
    } finally {
      useTracer(undefined);
    }
    expect(attributes).toContainEqual([
      'GET redfish',
      {
        kind: 'client',
        attributes: {
          'http.request.method': 'GET',
          'server.address': '127.0.0.1',
          'url.path': STUB_SYSTEM,
        },
      },
    ]);
    expect(attributes).toContainEqual({ 'http.response.status_code': 200 });
    expect(JSON.stringify(attributes)).not.toMatch(/password|authorization|token/iu);
  });
});
