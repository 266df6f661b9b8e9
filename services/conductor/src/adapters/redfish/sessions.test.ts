import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { deadlineIn } from '@tenure/process';
import { failureOf, RedfishBench } from '../../testing/redfish-bench.js';
import { type StubBmc } from '../../testing/stub-bmc.js';

let bench: RedfishBench;
let bmc: StubBmc;

beforeEach(async () => {
  bench = await RedfishBench.open();
  ({ bmc } = bench);
});

afterEach(async () => {
  await bench.close();
});

describe('sessions', () => {
  it('logs in once for twenty first calls, and keeps few connections', async () => {
    const node = bench.node();
    await Promise.all(Array.from({ length: 20 }, () => bench.state(node)));
    expect(bmc.logins).toBe(1);
    expect(bmc.connections).toBeLessThanOrEqual(4);
  });

  it('logs in again, once, when the session expired', async () => {
    const node = bench.node();
    await bench.state(node);
    bmc.expireSessions();
    const states = await Promise.all(Array.from({ length: 5 }, () => bench.state(node)));
    expect(states).toEqual(['power off', 'power off', 'power off', 'power off', 'power off']);
    expect(bmc.logins).toBe(2);
  });

  it('says that the credentials were refused, without naming them', async () => {
    const failure = await failureOf(bench.state(bench.node({ redfish_password: 'wrong-secret' })));
    expect(failure).toMatchObject({ kind: 'auth', message: 'the BMC refused the credentials' });
    expect(bmc.logins).toBe(1);
  });

  it.each([
    ['404', 1],
    ['unsaid', 0],
  ] as const)('uses Basic where there are no sessions (%s)', async (how, logins) => {
    bmc.faults.noSessions = how;
    const node = bench.node();
    expect(await bench.state(node)).toBe('power off');
    await bench.state(node);
    expect(bmc.logins).toBe(logins);
  });

  it('does not try refused credentials again, so that the BMC does not lock the account', async () => {
    const node = bench.node({ redfish_password: 'wrong-secret' });
    for (let times = 0; times < 5; times += 1)
      expect(await failureOf(bench.state(node))).toMatchObject({ kind: 'auth' });
    expect(bmc.logins).toBe(1);
    expect(await bench.state(bench.node())).toBe('power off');
  });

  it('does not try refused Basic credentials again either', async () => {
    const node = bench.node({ redfish_password: 'wrong-secret', redfish_auth_type: 'basic' });
    for (let times = 0; times < 5; times += 1)
      expect(await failureOf(bench.state(node))).toMatchObject({ kind: 'auth' });
    expect(bmc.requests).toHaveLength(1);
  });

  it('logs in again once, not for ever, at a BMC that refuses what it has just opened', async () => {
    bmc.faults.refusesAll = true;
    const node = bench.node();
    for (let times = 0; times < 5; times += 1)
      expect(await failureOf(bench.state(node))).toMatchObject({
        kind: 'auth',
        message: 'the BMC refused the credentials',
      });
    expect(bmc.logins).toBe(2);
  });

  it('sends a command again that an expired session kept from being carried out', async () => {
    const node = bench.node();
    await bench.state(node);
    bmc.sessionsEndAt = 'PATCH';
    await bench.driver.setBootDevice(
      node,
      { device: 'pxe', persistent: false },
      deadlineIn(15_000),
    );
    expect(bmc.boot.target).toBe('Pxe');
    expect(bench.changes()).toEqual(['PATCH /redfish/v1/Systems/1', 'PATCH /redfish/v1/Systems/1']);
    expect(bmc.logins).toBe(2);
  });

  it.each([503, 400] as const)(
    'uses Basic while the BMC has no session left (%i)',
    async (status) => {
      bmc.faults.sessionsFull = status;
      const node = bench.node();
      expect(await bench.state(node)).toBe('power off');
      expect(await bench.state(node)).toBe('power off');
      expect(bmc.logins).toBe(1);
    },
  );

  it('says that no session is left when one is demanded', async () => {
    bmc.faults.sessionsFull = 400;
    expect(
      await failureOf(bench.state(bench.node({ redfish_auth_type: 'session' }))),
    ).toMatchObject({ kind: 'answer', message: 'the BMC has no session left' });
  });

  it('opens none where Basic is demanded', async () => {
    expect(await bench.state(bench.node({ redfish_auth_type: 'basic' }))).toBe('power off');
    expect(bmc.logins).toBe(0);
  });

  it('does not fall back to Basic when a session is demanded', async () => {
    bmc.faults.noSessions = '404';
    const failure = await failureOf(bench.state(bench.node({ redfish_auth_type: 'session' })));
    expect(failure).toMatchObject({ message: 'the answer of the BMC was not Redfish' });
  });

  it('closes its session at the end', async () => {
    await bench.state(bench.node());
    expect(bmc.openSessions).toBe(1);
    await bench.directory.close();
    expect(bmc.openSessions).toBe(0);
  });
});
