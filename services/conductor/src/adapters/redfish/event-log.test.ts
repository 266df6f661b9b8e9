import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { deadlineIn } from '@tenure/process';
import { type VendorMethod } from '../../ports/hardware-capabilities.js';
import { failureOf, RedfishBench } from '../../testing/redfish-bench.js';
import { type StubBmc } from '../../testing/stub-bmc.js';
import { StubLog } from '../../testing/stub-log.js';

let bench: RedfishBench;
let bmc: StubBmc;

beforeEach(async () => {
  bench = await RedfishBench.open();
  ({ bmc } = bench);
});

afterEach(async () => {
  await bench.close();
});

type Args = Readonly<Record<string, unknown>>;

function method(name: string): VendorMethod {
  const found = bench.driver.vendor?.[name];
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
}
const read = (args: Args = {}): Promise<unknown> =>
  method('get_event_log').run(bench.node(), args, deadlineIn(15_000));
const clear = (args: Args = {}, ms = 1000): Promise<unknown> =>
  method('clear_event_log').run(bench.node(), args, deadlineIn(ms));
async function idsOf(args: Args = {}): Promise<readonly unknown[]> {
  const { entries } = (await read(args)) as { entries: readonly { id: string }[] }; // what the method gives
  return entries.map(({ id }) => id);
}
function log(...names: readonly string[]): StubLog {
  const [first] = bmc.machine.addLogs('system', ...names);
  return first ?? new StubLog('', '');
}
/** Entries of consecutive minutes, with these ids. */
const entries = (...ids: readonly number[]): readonly Args[] =>
  ids.map((id) => ({
    Id: String(id),
    Created: `2026-11-21T08:${String(id).padStart(2, '0')}:00Z`,
    Severity: 'OK',
    Message: `entry ${String(id)}`,
  }));
const CLEAR = 'POST /redfish/v1/Systems/1/LogServices/SEL/Actions/LogService.ClearLog';

describe('get_event_log', () => {
  it('shows entries in a plain shape', async () => {
    log('SEL').entries = [
      {
        Id: '7',
        Created: '2026-11-21T08:00:00Z',
        Severity: 'Critical',
        Message: 'The power supply failed.',
        MessageId: 'PSU0001',
        SensorType: 'Power Supply / Converter',
        Originator: '/redfish/v1/Managers/1',
        MessageArgs: ['1'],
        Oem: { Vendor: { Raw: 'AA55' } },
      },
    ];
    expect(await read()).toEqual({
      service: 'SEL',
      services: ['SEL'],
      entries: [
        {
          id: '7',
          created: '2026-11-21T08:00:00Z',
          severity: 'Critical',
          message: 'The power supply failed.',
          message_id: 'PSU0001',
          sensor: 'Power Supply / Converter',
          originator: '/redfish/v1/Managers/1',
        },
      ],
      more: false,
    });
  });

  it('shows the newest first, whichever way the BMC does', async () => {
    const sel = log('SEL');
    sel.perPage = 2;
    sel.entries = entries(1, 2, 3, 4, 5);
    expect(await idsOf({ limit: 3 })).toEqual(['5', '4', '3']);
    sel.entries = entries(5, 4, 3, 2, 1);
    expect(await idsOf({ limit: 3 })).toEqual(['5', '4', '3']);
  });

  it('reads no more pages than are needed of a log that begins with the newest', async () => {
    const sel = log('SEL');
    sel.perPage = 2;
    sel.entries = entries(9, 8, 7, 6, 5, 4, 3, 2, 1);
    expect(await read({ limit: '2' })).toMatchObject({
      entries: [{ id: '9' }, { id: '8' }],
      more: true,
    });
    expect(bmc.requests.filter(({ path }) => path.includes('/Entries'))).toHaveLength(2);
  });

  it('shows only what is severe enough', async () => {
    const [one, two, three] = entries(3, 2, 1);
    log('SEL').entries = [
      { ...one, Severity: 'OK' },
      { ...two, Severity: 'Critical' },
      { ...three, Severity: 'Warning' },
    ];
    expect(await idsOf({ severity: 'warning' })).toEqual(['2', '1']);
    expect(await idsOf({ severity: 'Critical' })).toEqual(['2']);
    expect(await idsOf({ severity: 'ok' })).toEqual(['3', '2', '1']);
  });

  it('looks into the log of the hardware first, and into another when it is named', async () => {
    bmc.machine.addLogs('manager', 'Lclog', 'Sel');
    const [lifecycle, sel] = bmc.machine.logs;
    if (lifecycle !== undefined) lifecycle.entries = entries(1);
    if (sel !== undefined) sel.entries = entries(2);
    expect(await read()).toMatchObject({
      service: 'Sel',
      services: ['Lclog', 'Sel'],
      entries: [{ id: '2' }],
    });
    expect(await idsOf({ service: 'lclog' })).toEqual(['1']);
  });

  it('distinguishes logs of the same name', async () => {
    bmc.machine.addLogs('system', 'EventLog');
    bmc.machine.addLogs('manager', 'EventLog');
    const [, managers] = bmc.machine.logs;
    if (managers !== undefined) managers.entries = entries(8);
    expect(await read()).toMatchObject({ services: ['EventLog', 'manager:EventLog'], entries: [] });
    expect(await idsOf({ service: 'manager:EventLog' })).toEqual(['8']);
  });

  it('shows no password of the BMC, and none in an address', async () => {
    const [entry] = entries(1);
    log('SEL').entries = [
      {
        ...entry,
        Message: `login with ${bmc.password}; share https://user:s3cret@files.example/x`,
      },
    ];
    const text = JSON.stringify(await read());
    expect(text).toContain('login with ******; share https://******@files.example/x');
    expect(text).not.toContain(bmc.password);
    expect(text).not.toContain('s3cret');
  });

  it('refuses a log that it cannot show the newest entries of', async () => {
    log('SEL').entries = Array.from({ length: 2500 }, (_, index) => ({
      Id: String(index + 1),
      Message: 'x',
    }));
    const failure = await failureOf(read());
    expect(failure).toMatchObject({
      kind: 'too_large',
      message:
        'the log begins with its oldest entry and holds 2000 or more; clear it, or read another',
    });
  });

  it('is unsupported where there is no log', async () => {
    expect(await failureOf(read())).toMatchObject({
      kind: 'unsupported',
      message: 'the BMC has no event log',
    });
  });

  it('names the existing logs when another one is requested', async () => {
    log('SEL', 'EventLog');
    expect(await failureOf(read({ service: 'Nope' }))).toMatchObject({
      status: 400,
      message: 'service: the BMC has no such log; it has SEL, EventLog.',
    });
  });

  it.each([
    ['get_event_log', { limit: 0 }],
    ['get_event_log', { limit: '501' }],
    ['get_event_log', { limit: 'all' }],
    ['get_event_log', { severity: 'loud' }],
    ['get_event_log', { service: '../Managers' }],
    ['get_event_log', { colour: 'red' }],
    ['clear_event_log', { service: 'a/b' }],
    ['clear_event_log', { limit: 5 }],
  ])('%s refuses %j', (name, args) => {
    expect(() => {
      method(name).validate(args);
    }).toThrow(expect.objectContaining({ status: 400 }));
  });
});

describe('clear_event_log', () => {
  it('clears the log, and checks that its entries were deleted', async () => {
    const sel = log('SEL');
    sel.entries = entries(1, 2);
    await clear({ service: 'sel' });
    expect(sel.entries).toEqual([sel.first]);
    expect(bench.changes()).toEqual([CLEAR]);
  });

  it('sends nothing when the log is empty', async () => {
    log('SEL');
    await clear();
    expect(bench.changes()).toEqual([]);
  });

  it('does not believe a 204', async () => {
    const sel = log('SEL');
    sel.entries = entries(1, 2);
    sel.deaf = true;
    expect(await failureOf(clear())).toMatchObject({
      kind: 'no_effect',
      message: 'the BMC took the order to clear the log SEL, but still shows its entries',
    });
    expect(bench.changes()).toEqual([CLEAR]);
  });

  it('gives the ETag of the log to a BMC that asks for it', async () => {
    const sel = log('SEL');
    sel.entries = entries(1);
    sel.etag = '"5"';
    await clear();
    expect(sel.entries).toEqual([sel.first]);
    expect(bench.changes()).toEqual([CLEAR, CLEAR]);
  });

  it('is unsupported where the BMC does not offer it', async () => {
    const sel = log('SEL');
    sel.entries = entries(1);
    sel.isKept = true;
    expect(await failureOf(clear())).toMatchObject({
      kind: 'unsupported',
      message: 'the BMC does not offer to clear the log SEL',
    });
    expect(bench.changes()).toEqual([]);
  });
});
