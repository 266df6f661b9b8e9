import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { deadlineIn } from '@tenure/process';
import { type ConsoleCapability } from '../../ports/hardware-capabilities.js';
import { failureOf, RedfishBench } from '../../testing/redfish-bench.js';
import { type StubMachine } from '../../testing/stub-machine.js';

const SYSTEM = '/redfish/v1/Systems/1';
const MANAGER = '/redfish/v1/Managers/1';

let bench: RedfishBench;
let machine: StubMachine;

beforeEach(async () => {
  bench = await RedfishBench.open();
  ({ machine } = bench.bmc);
});

afterEach(async () => {
  await bench.close();
});

function driverConsole(): ConsoleCapability {
  const { console } = bench.driver;
  if (console === undefined) throw new Error('no console');
  return console;
}
const start = (ms = 1000): Promise<void> => driverConsole().start(bench.node(), deadlineIn(ms));
const stop = (): Promise<void> => driverConsole().stop(bench.node(), deadlineIn(15_000));
const info = (): Promise<unknown> => driverConsole().info(bench.node(), deadlineIn(15_000));
const bodies = (): readonly unknown[] =>
  bench.bmc.requests.filter(({ method }) => method === 'PATCH').map(({ body }) => body);
const ssh = (ServiceEnabled: boolean) => ({ SSH: { ServiceEnabled, Port: 2200 } });

describe('the console of a system', () => {
  it('is switched on, returned, and switched off', async () => {
    machine.serialConsole = { ...ssh(false), Telnet: { ServiceEnabled: false, Port: 23 } };
    await start();
    expect(await info()).toEqual({ type: 'ssh', url: 'ssh://127.0.0.1:2200' });
    await stop();
    expect(await info()).toBeNull();
    expect(bodies()).toEqual([
      { SerialConsole: { SSH: { ServiceEnabled: true } } },
      { SerialConsole: { SSH: { ServiceEnabled: false } } },
    ]);
    expect(machine.serialConsole['Telnet']).toEqual({ ServiceEnabled: false, Port: 23 });
  });

  it('is left alone when it is so already', async () => {
    machine.serialConsole = ssh(true);
    await start();
    expect(bench.changes()).toEqual([]);
  });

  it('does not believe a 204', async () => {
    machine.serialConsole = ssh(false);
    machine.deaf = true;
    expect(await failureOf(start())).toMatchObject({
      kind: 'no_effect',
      message: 'the BMC took the order to switch the console on, but does not show it',
    });
    expect(bench.changes()).toEqual([`PATCH ${SYSTEM}`]);
  });

  it.each([
    ['nothing', undefined],
    ['Telnet alone', { Telnet: { ServiceEnabled: false, Port: 23 } }],
    ['IPMI alone', { IPMI: { ServiceEnabled: false } }],
  ])('is unsupported where the BMC offers %s', async (_what, offered) => {
    machine.serialConsole = offered;
    expect(await failureOf(start())).toMatchObject({
      kind: 'unsupported',
      message:
        'Driver redfish does not support console (the BMC offers no serial console over SSH)',
    });
    expect(bench.changes()).toEqual([]);
  });
});

describe('the console of a manager', () => {
  const serial = { ServiceEnabled: false, ConnectTypesSupported: ['SSH', 'IPMI'] };

  it('serves where the system has none, at the port of its SSH service', async () => {
    machine.managerParts['SerialConsole'] = serial;
    machine.managerParts['NetworkProtocol'] = { '@odata.id': `${MANAGER}/NetworkProtocol` };
    machine.parts[`${MANAGER}/NetworkProtocol`] = { SSH: { ProtocolEnabled: true, Port: 2022 } };
    await start();
    expect(bench.changes()).toEqual([`PATCH ${MANAGER}`]);
    expect(await info()).toEqual({ type: 'ssh', url: 'ssh://127.0.0.1:2022' });
  });

  it.each([
    ['not by SSH', { SerialConsole: { ...serial, ConnectTypesSupported: ['Telnet'] } }],
    ['only the shell of the BMC', { CommandShell: serial }],
    [
      'for several machines',
      {
        SerialConsole: serial,
        Links: { ManagerForServers: [{ '@odata.id': SYSTEM }, { '@odata.id': `${SYSTEM}2` }] },
      },
    ],
  ])('is not used when it is %s', async (_what, parts) => {
    Object.assign(machine.managerParts, parts);
    expect(await failureOf(start())).toMatchObject({ kind: 'unsupported' });
    expect(bench.changes()).toEqual([]);
  });
});
