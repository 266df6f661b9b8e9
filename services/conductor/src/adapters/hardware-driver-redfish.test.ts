import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type NodeRecord } from '@tenure/contracts';
import { deadlineIn } from '../deadline.js';
import { type PowerStep } from '../domain/power.js';
import { type HardwareDriver } from '../ports/hardware-driver.js';
import { aRedfishNode } from '../testing/nodes.js';
import { failureOf, RedfishBench } from '../testing/redfish-bench.js';
import { STUB_SYSTEM, type StubBmc } from '../testing/stub-bmc.js';

const ON = { goal: 'power on', soft: false } as const;

let bench: RedfishBench;
let bmc: StubBmc;
let driver: HardwareDriver;

beforeEach(async () => {
  bench = await RedfishBench.open();
  ({ bmc, driver } = bench);
});

afterEach(async () => {
  await bench.close();
});

const power = (node: NodeRecord, step: PowerStep, ms = 2000): Promise<string> =>
  driver.setPowerState(node, step, deadlineIn(ms));

describe('power over redfish', () => {
  it('is switched on with one command and read back', async () => {
    bmc.faults.transitionMs = 60;
    expect(await power(aRedfishNode(bmc), ON)).toBe('power on');
    expect(bmc.power).toBe('On');
    expect(bmc.resets).toEqual(['On']);
  });

  it('sends nothing to a node that is there already', async () => {
    bmc.power = 'On';
    expect(await power(aRedfishNode(bmc), ON)).toBe('power on');
    expect(bmc.resets).toEqual([]);
  });

  it('asks the system to shut down when it is to be soft', async () => {
    bmc.power = 'On';
    expect(await power(aRedfishNode(bmc), { goal: 'power off', soft: true })).toBe('power off');
    expect(bmc.resets).toEqual(['GracefulShutdown']);
  });

  it('does not believe a 204 without effect', async () => {
    bmc.faults.resetIgnored = true;
    expect(await failureOf(power(aRedfishNode(bmc), ON, 300))).toMatchObject({
      kind: 'no_effect',
      powerState: 'power off',
      message: "the BMC took the command, but the node did not reach 'power on' in time",
    });
    expect(bmc.resets).toEqual(['On']);
  });

  it.each([500, 503])('takes an empty %i for a failure, not for success', async (status) => {
    bmc.faults.empty = { GET: status };
    expect(await failureOf(power(aRedfishNode(bmc), ON))).toMatchObject({
      kind: 'answer',
      message: `the BMC answered ${String(status)}`,
    });
    expect(bmc.resets).toEqual([]);
  });

  it('finds the effect of a command that was answered with 500, and does not repeat it', async () => {
    bmc.faults.resetAnswer = 500;
    bmc.faults.transitionMs = 80;
    expect(await power(aRedfishNode(bmc), ON)).toBe('power on');
    expect(bmc.resets).toEqual(['On']);
  });

  it('reports the 500 of a command that had no effect, without repeating it', async () => {
    bmc.faults.empty = { POST: 500 };
    expect(
      await failureOf(power(aRedfishNode(bmc, { redfish_auth_type: 'basic' }), ON)),
    ).toMatchObject({ message: 'the BMC answered 500', powerState: 'power off' });
    expect(bmc.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  it('never repeats a command whose connection broke', async () => {
    bmc.faults.resetBreaks = true;
    bmc.faults.transitionMs = 50;
    expect(await power(aRedfishNode(bmc), ON)).toBe('power on');
    expect(bmc.resets).toEqual(['On']);
  });

  it('tries again a command that the BMC refused as untimely', async () => {
    bmc.faults.busy = 2;
    expect(await power(aRedfishNode(bmc), ON)).toBe('power on');
    expect(bmc.resets).toEqual(['On', 'On', 'On']);
  });

  it('gives up on a BMC that never answers', async () => {
    bmc.faults.hang = true;
    expect(await failureOf(power(aRedfishNode(bmc), ON))).toMatchObject({
      kind: 'timeout',
      message: 'no answer from the BMC within 0.4 s',
    });
  });

  it('says when nothing listens', async () => {
    const node = aRedfishNode(bmc);
    await bmc.close();
    expect(await failureOf(power(node, ON))).toMatchObject({
      kind: 'unreachable',
      message: 'the BMC refused the connection',
    });
  });

  it('reads the state anew every time', async () => {
    const node = aRedfishNode(bmc);
    expect(await driver.getPowerState(node, deadlineIn(1000))).toBe('power off');
    bmc.power = 'On';
    expect(await driver.getPowerState(node, deadlineIn(1000))).toBe('power on');
  });

  it('finds the only system when none is named', async () => {
    const node = aRedfishNode(bmc, { redfish_system_id: null });
    expect(await driver.getPowerState(node, deadlineIn(1000))).toBe('power off');
  });

  it('lets other BMCs answer while twenty hang', async () => {
    const hung = await Promise.all(Array.from({ length: 20 }, () => bench.openBmc()));
    for (const stub of hung) stub.faults.hang = true;
    const stuck = hung.map((stub) => failureOf(power(aRedfishNode(stub), ON)));
    const first = await Promise.race([power(aRedfishNode(bmc), ON), ...stuck]);
    expect(first).toBe('power on');
    for (const failure of await Promise.all(stuck))
      expect(failure).toMatchObject({ kind: 'timeout' });
  });
});

describe('sessions', () => {
  it('logs in once for twenty first calls, and keeps few connections', async () => {
    const node = aRedfishNode(bmc);
    await Promise.all(
      Array.from({ length: 20 }, () => driver.getPowerState(node, deadlineIn(2000))),
    );
    expect(bmc.logins).toBe(1);
    expect(bmc.connections).toBeLessThanOrEqual(4);
  });

  it('logs in again, once, when the session expired', async () => {
    const node = aRedfishNode(bmc);
    await driver.getPowerState(node, deadlineIn(1000));
    bmc.expireSessions();
    const states = await Promise.all(
      Array.from({ length: 5 }, () => driver.getPowerState(node, deadlineIn(1000))),
    );
    expect(states).toEqual(['power off', 'power off', 'power off', 'power off', 'power off']);
    expect(bmc.logins).toBe(2);
  });

  it('says that the credentials were refused, without naming them', async () => {
    const failure = await failureOf(
      driver.getPowerState(
        aRedfishNode(bmc, { redfish_password: 'wrong-secret' }),
        deadlineIn(1000),
      ),
    );
    expect(failure).toMatchObject({ kind: 'auth', message: 'the BMC refused the credentials' });
    expect(bmc.logins).toBe(1);
  });

  it.each([
    ['404', 1],
    ['unsaid', 0],
  ] as const)('uses Basic where there are no sessions (%s)', async (how, logins) => {
    bmc.faults.noSessions = how;
    const node = aRedfishNode(bmc);
    expect(await driver.getPowerState(node, deadlineIn(1000))).toBe('power off');
    await driver.getPowerState(node, deadlineIn(1000));
    expect(bmc.logins).toBe(logins);
  });

  it('does not fall back to Basic when a session is demanded', async () => {
    bmc.faults.noSessions = '404';
    const failure = await failureOf(
      driver.getPowerState(aRedfishNode(bmc, { redfish_auth_type: 'session' }), deadlineIn(1000)),
    );
    expect(failure).toMatchObject({ message: 'the BMC answered 404' });
  });

  it('closes its session at the end', async () => {
    await driver.getPowerState(aRedfishNode(bmc), deadlineIn(1000));
    expect(bmc.openSessions).toBe(1);
    await bench.directory.close();
    expect(bmc.openSessions).toBe(0);
  });
});

describe('answers that are not to be trusted', () => {
  it('does not follow a redirect to another origin', async () => {
    const other = await bench.openBmc();
    bmc.faults.redirectTo = `${other.origin}${STUB_SYSTEM}`;
    expect(
      await failureOf(driver.getPowerState(aRedfishNode(bmc), deadlineIn(1000))),
    ).toMatchObject({ kind: 'redirect' });
    expect(other.requests).toEqual([]);
  });

  it('refuses an answer that is too large', async () => {
    bmc.faults.padding = 200_000;
    expect(
      await failureOf(driver.getPowerState(aRedfishNode(bmc), deadlineIn(1000))),
    ).toMatchObject({ kind: 'too_large' });
  });
});

describe('boot device over redfish', () => {
  it('is set with the ETag, and read back', async () => {
    bmc.faults.etag = true;
    const node = aRedfishNode(bmc);
    await driver.setBootDevice(node, { device: 'cdrom', persistent: false }, deadlineIn(1000));
    expect(bmc.boot).toEqual({ target: 'Cd', enabled: 'Once' });
    expect(await driver.getBootDevice(node, deadlineIn(1000))).toEqual({
      boot_device: 'cdrom',
      persistent: false,
    });
  });

  it('fetches the ETag again when it was refused with 412', async () => {
    bmc.faults.etag = true;
    bmc.faults.etagMoves = 1;
    await driver.setBootDevice(
      aRedfishNode(bmc),
      { device: 'pxe', persistent: true },
      deadlineIn(1000),
    );
    expect(bmc.boot).toEqual({ target: 'Pxe', enabled: 'Continuous' });
  });

  it('offers what the BMC allows', async () => {
    expect(await driver.supportedBootDevices(aRedfishNode(bmc), deadlineIn(1000))).toEqual([
      'pxe',
      'disk',
      'cdrom',
    ]);
  });

  it('refuses a device that the BMC does not offer', async () => {
    expect(
      await failureOf(
        driver.setBootDevice(
          aRedfishNode(bmc),
          { device: 'floppy', persistent: false },
          deadlineIn(1000),
        ),
      ),
    ).toMatchObject({ kind: 'unsupported' });
    expect(bmc.boot).toEqual({ target: 'None', enabled: 'Disabled' });
  });

  it('reads null where none is set', async () => {
    expect(await driver.getBootDevice(aRedfishNode(bmc), deadlineIn(1000))).toEqual({
      boot_device: null,
      persistent: null,
    });
  });
});
