import { describe, expect, it } from '@jest/globals';
import { deadlineIn } from '@tenure/process';
import { aNode } from '@tenure/testing';
import { FIRST_ATTEMPT } from '../testing/jobs.js';
import { createFakeDriver } from './hardware-driver-fake.js';

const driver = createFakeDriver();
const ON = { goal: 'power on', soft: false, attempt: FIRST_ATTEMPT } as const;

describe('fake hardware', () => {
  it('is as its record says', async () => {
    expect(await driver.getPowerState(aNode({ power_state: 'power on' }), deadlineIn(15_000))).toBe(
      'power on',
    );
    expect(await driver.getPowerState(aNode({ power_state: null }), deadlineIn(15_000))).toBe(
      'power off',
    );
  });

  it.each([[ON], [{ ...ON, goal: 'power off', soft: true } as const]])(
    'reaches %j',
    async (step) => {
      expect(await driver.setPowerState(aNode(), step, deadlineIn(15_000))).toBe(step.goal);
    },
  );

  it('fails when fake_failure asks for it', async () => {
    const node = aNode({ driver_info: { fake_failure: 'power' } });
    await expect(driver.setPowerState(node, ON, deadlineIn(15_000))).rejects.toMatchObject({
      kind: 'simulated',
    });
    await expect(
      driver.setBootDevice(node, { device: 'disk', persistent: true }, deadlineIn(15_000)),
    ).resolves.toBeDefined();
  });

  it('does not take longer than it may', async () => {
    const node = aNode({ driver_info: { fake_delay_ms: 60_000 } });
    await expect(driver.setPowerState(node, ON, deadlineIn(20))).rejects.toMatchObject({
      kind: 'timeout',
    });
  });

  it.each([[-1], [1.5], ['5'], [600_001]])('refuses the delay %j', async (delay) => {
    await expect(
      driver.validate(aNode({ driver_info: { fake_delay_ms: delay } })),
    ).rejects.toMatchObject({ kind: 'settings' });
  });

  it('keeps its boot device in the record', async () => {
    const internal = await driver.setBootDevice(
      aNode(),
      { device: 'disk', persistent: true },
      deadlineIn(15_000),
    );
    expect(internal).toEqual({ fake_boot_device: { boot_device: 'disk', persistent: true } });
    expect(
      await driver.getBootDevice(aNode({ driver_internal_info: internal }), deadlineIn(15_000)),
    ).toEqual({
      boot_device: 'disk',
      persistent: true,
    });
  });
});
