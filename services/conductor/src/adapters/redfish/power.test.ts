import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@tenure/contracts';
import { FIRST_ATTEMPT } from '../../testing/jobs.js';
import { aRedfishNode } from '../../testing/nodes.js';
import { failureOf, RedfishBench } from '../../testing/redfish-bench.js';
import { type StubBmc } from '../../testing/stub-bmc.js';

const RESET = '/redfish/v1/Systems/1/Actions/ComputerSystem.Reset';
const ON = { goal: 'power on', soft: false } as const;

let bench: RedfishBench;
let bmc: StubBmc;

beforeEach(async () => {
  bench = await RedfishBench.open();
  ({ bmc } = bench);
});

afterEach(async () => {
  await bench.close();
});

describe('power over redfish', () => {
  it('is switched on with one command and read back', async () => {
    bmc.faults.transitionMs = 60;
    expect(await bench.power(bench.node())).toBe('power on');
    expect(bmc.power).toBe('On');
    expect(bmc.resets).toEqual(['On']);
  });

  it('sends nothing to a node that is there already', async () => {
    bmc.power = 'On';
    expect(await bench.power(bench.node())).toBe('power on');
    expect(bmc.resets).toEqual([]);
  });

  it('asks the system to shut down when it is to be soft', async () => {
    bmc.power = 'On';
    expect(await bench.power(bench.node(), { goal: 'power off', soft: true })).toBe('power off');
    expect(bmc.resets).toEqual(['GracefulShutdown']);
  });

  it('does not believe a 204 without effect', async () => {
    bmc.faults.resetIgnored = true;
    expect(await failureOf(bench.power(bench.node(), ON, 3000))).toMatchObject({
      kind: 'no_effect',
      powerState: 'power off',
      message: "the BMC took the command, but the node did not reach 'power on' in time",
    });
    expect(bmc.resets).toEqual(['On']);
  });

  it('sends one command to a BMC that shows the old state in every other answer', async () => {
    bmc.faults.staleMs = 60_000;
    expect(await bench.power(bench.node())).toBe('power on');
    expect([await bench.state(bench.node()), await bench.state(bench.node())]).toEqual([
      'power off',
      'power on',
    ]);
    expect(bmc.resets).toEqual(['On']);
  });

  it('sends nothing to a BMC that leaves out the power', async () => {
    bmc.faults.powerless = true;
    expect(await failureOf(bench.power(bench.node(), ON, 3000))).toMatchObject({ kind: 'timeout' });
    expect(bmc.resets).toEqual([]);
  });

  it('reads a BMC that sends byte by byte', async () => {
    bmc.faults.trickleMs = 1;
    expect(await bench.power(bench.node(), ON, 10_000)).toBe('power on');
    expect(bmc.resets).toEqual(['On']);
  });

  it('believes what the BMC shows, and nothing else', async () => {
    bmc.faults.resetPretended = true;
    expect(await bench.power(bench.node())).toBe('power on');
    bmc.faults.resetPretended = false;
    expect(await bench.state(bench.node())).toBe('power off');
    expect(bmc.carriedOut).toEqual([]);
  });

  it.each([500, 503])('takes an empty %i for a failure, not for success', async (status) => {
    bmc.faults.empty = { GET: status };
    expect(await failureOf(bench.power(bench.node()))).toMatchObject({
      kind: 'answer',
      message: 'the answer of the BMC was not Redfish',
    });
    expect(bmc.resets).toEqual([]);
  });

  it('finds the effect of a command that was answered with 500, and does not repeat it', async () => {
    bmc.faults.resetAnswer = 500;
    bmc.faults.transitionMs = 80;
    expect(await bench.power(bench.node())).toBe('power on');
    expect(bmc.resets).toEqual(['On']);
  });

  it('reports the 500 of a command that had no effect, without repeating it', async () => {
    bmc.faults.empty = { POST: 500 };
    expect(await failureOf(bench.power(bench.node({ redfish_auth_type: 'basic' })))).toMatchObject({
      message: 'the answer of the BMC was not Redfish',
      powerState: 'power off',
    });
    expect(bmc.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  it('never repeats a command whose connection broke', async () => {
    bmc.faults.resetBreaks = true;
    bmc.faults.transitionMs = 50;
    expect(await bench.power(bench.node())).toBe('power on');
    expect(bmc.resets).toEqual(['On']);
  });

  it('sees a command through whose BMC lost its power and its sessions meanwhile', async () => {
    bmc.faults.transitionMs = 20;
    const changing = bench.power(bench.node(), ON, 5000);
    await bmc.received('POST', RESET);
    await bmc.restart(150);
    expect(await changing).toBe('power on');
    expect(bmc.resets).toEqual(['On']);
    expect(bmc.logins).toBe(2);
  });

  it('records that a command may have arrived, also when its connection broke', async () => {
    bmc.faults.resetBreaks = true;
    let notes = 0;
    const noteSent = (): Promise<void> => {
      notes += 1;
      return Promise.resolve();
    };
    await bench.power(bench.node(), { ...ON, attempt: { ...FIRST_ATTEMPT, noteSent } });
    expect(notes).toBe(1);
  });

  it('records nothing of a command that was refused', async () => {
    bmc.resetTypes = [];
    const noteSent = (): Promise<void> => Promise.reject(new Error('nothing was sent'));
    const attempt = { ...FIRST_ATTEMPT, noteSent };
    expect(await failureOf(bench.power(bench.node(), { ...ON, attempt }))).toMatchObject({
      kind: 'unsupported',
    });
  });

  it('looks for the effect while the command is being recorded', async () => {
    const reads = (): number => bmc.requests.filter(({ method }) => method === 'GET').length;
    const noteSent = async (): Promise<void> => {
      const before = reads();
      while (reads() === before) await sleep(5);
    };
    const attempt = { ...FIRST_ATTEMPT, noteSent };
    expect(await bench.power(bench.node(), { ...ON, attempt }, 10_000)).toBe('power on');
  });

  it('ends with the loss of the lock when that is found while the command is recorded', async () => {
    const lost = new AppError('lock_lost', 409, 'The lock was lost.');
    const attempt = { ...FIRST_ATTEMPT, noteSent: () => Promise.reject(lost) };
    expect(await failureOf(bench.power(bench.node(), { ...ON, attempt }))).toBe(lost);
  });

  it('sends nothing when the lock was lost', async () => {
    const lost = new AppError('lock_lost', 409, 'The lock was lost.');
    const attempt = { ...FIRST_ATTEMPT, prove: () => Promise.reject(lost) };
    expect(await failureOf(bench.power(bench.node(), { ...ON, attempt }))).toBe(lost);
    expect(bmc.resets).toEqual([]);
  });

  it('never sends a command that an earlier life may have sent', async () => {
    const attempt = { ...FIRST_ATTEMPT, begunBefore: 4, wasSent: true };
    expect(await failureOf(bench.power(bench.node(), { ...ON, attempt }, 1500))).toMatchObject({
      kind: 'no_effect',
      powerState: 'power off',
    });
    expect(bmc.resets).toEqual([]);
  });

  it('looks for the effect of such a command for a shorter time after each restart', async () => {
    const began = performance.now();
    const attempt = { ...FIRST_ATTEMPT, begunBefore: 9, wasSent: true };
    expect(await failureOf(bench.power(bench.node(), { ...ON, attempt }, 15_000))).toMatchObject({
      kind: 'no_effect',
    });
    expect(performance.now() - began).toBeLessThan(14_000);
  });

  it('sends a command that an earlier life began, after its effect was waited for in vain', async () => {
    const attempt = { ...FIRST_ATTEMPT, begunBefore: 1 };
    const changing = bench.power(bench.node(), { ...ON, attempt }, 10_000);
    await bmc.received('GET', '/redfish/v1/Systems/1');
    expect(bmc.resets).toEqual([]);
    expect(await changing).toBe('power on');
    expect(bmc.resets).toEqual(['On']);
  });

  it('takes a state that Redfish knows and Ironic does not for unknown', async () => {
    bmc.power = 'PoweringOff';
    expect(await bench.state(bench.node())).toBeNull();
  });

  it('refuses a reset that the BMC does not offer, and sends nothing', async () => {
    bmc.power = 'On';
    bmc.resetTypes = ['On', 'ForceOff'];
    expect(
      await failureOf(bench.power(bench.node(), { goal: 'power off', soft: true })),
    ).toMatchObject({ kind: 'unsupported', message: 'the BMC does not offer GracefulShutdown' });
    expect(bmc.resets).toEqual([]);
  });

  it('uses the other word for the same reset where the BMC knows only that', async () => {
    bmc.resetTypes = ['ForceOn', 'ForceOff'];
    expect(await bench.power(bench.node())).toBe('power on');
    expect(bmc.resets).toEqual(['ForceOn']);
  });

  it('tries again a command that the BMC refused as untimely', async () => {
    bmc.faults.busy = 2;
    expect(await bench.power(bench.node())).toBe('power on');
    expect(bmc.resets).toEqual(['On', 'On', 'On']);
  });

  it('times out when a BMC never answers', async () => {
    const impatient = await RedfishBench.open(500);
    impatient.bmc.faults.hang = true;
    expect(await failureOf(impatient.power(impatient.node()))).toMatchObject({
      kind: 'timeout',
      message: 'the BMC is unreachable',
    });
    await impatient.close();
  });

  it('says when nothing listens', async () => {
    const node = bench.node();
    await bmc.close();
    expect(await failureOf(bench.power(node))).toMatchObject({
      kind: 'unreachable',
      message: 'the BMC is unreachable',
    });
  });

  it('reads the state anew every time', async () => {
    const node = bench.node();
    expect(await bench.state(node)).toBe('power off');
    bmc.power = 'On';
    expect(await bench.state(node)).toBe('power on');
  });

  it('finds the only system when none is named', async () => {
    const node = bench.node({ redfish_system_id: null });
    expect(await bench.state(node)).toBe('power off');
  });

  it('lets other BMCs answer while twenty hang', async () => {
    const hung = await Promise.all(Array.from({ length: 20 }, () => bench.openBmc()));
    for (const stub of hung) stub.faults.hang = true;
    const stuck = hung.map((stub) => failureOf(bench.power(aRedfishNode(stub), ON, 1500)));
    const first = await Promise.race([bench.power(bench.node()), ...stuck]);
    expect(first).toBe('power on');
    for (const failure of await Promise.all(stuck))
      expect(failure).toMatchObject({ kind: 'timeout' });
  });
});
