import { describe, expect, it } from '@jest/globals';
import { aNode } from '@tenure/testing';
import {
  goalOf,
  isPlain,
  needsSoftPower,
  pendingOf,
  type PowerTarget,
  stepsOf,
  withoutPending,
} from './power.js';

const ON = { goal: 'power on', soft: false };
const OFF = { goal: 'power off', soft: false };
const SHUT_DOWN = { goal: 'power off', soft: true };

describe('a power target', () => {
  it.each<[PowerTarget, string, unknown]>([
    ['power on', 'power on', [ON]],
    ['power off', 'power off', [OFF]],
    ['soft power off', 'power off', [SHUT_DOWN]],
    ['rebooting', 'power on', [OFF, ON]],
    ['soft rebooting', 'power on', [SHUT_DOWN, ON]],
  ])('%s aims at %s', (target, goal, steps) => {
    expect(goalOf(target)).toBe(goal);
    expect(stepsOf(target)).toEqual(steps);
  });

  it.each([
    ['power on', null, true, false],
    ['power off', null, true, false],
    ['power on', 30, false, true],
    ['rebooting', null, false, false],
    ['soft power off', null, false, true],
    ['soft rebooting', null, false, true],
  ] as const)(
    '%s with timeout %p: plain %p, needs 1.27 %p',
    (target, timeoutSeconds, plain, soft) => {
      expect(isPlain({ target, timeoutSeconds })).toBe(plain);
      expect(needsSoftPower({ target, timeoutSeconds })).toBe(soft);
    },
  );
});

const NOTHING_DONE = { stepsDone: 0, resumed: 0, isSent: false } as const;

describe('what a reserved node still has to do', () => {
  it('is nothing without a target', () => {
    expect(
      pendingOf(aNode({ driver_internal_info: { pending_power: { target: 'rebooting' } } })),
    ).toBeUndefined();
  });

  it('is the target when nothing more is recorded', () => {
    expect(pendingOf(aNode({ target_power_state: 'power off' }))).toEqual({
      target: 'power off',
      timeoutSeconds: null,
      ...NOTHING_DONE,
    });
  });

  it('is the order that is recorded', () => {
    const record = {
      target: 'soft rebooting',
      timeout: 30,
      steps_done: 1,
      resumed: 2,
      sent: true,
    };
    const node = aNode({
      target_power_state: 'power on',
      driver_internal_info: { pending_power: record },
    });
    expect(pendingOf(node)).toEqual({
      target: 'soft rebooting',
      timeoutSeconds: 30,
      stepsDone: 1,
      resumed: 2,
      isSent: true,
    });
  });

  it.each([
    [{ target: 'soft power off', timeout: 30, steps_done: 0 }],
    [{ target: 'nonsense' }],
    ['text'],
    [null],
  ])('is the target when %j does not fit it', (record) => {
    const node = aNode({
      target_power_state: 'power on',
      driver_internal_info: { pending_power: record },
    });
    expect(pendingOf(node)).toEqual({
      target: 'power on',
      timeoutSeconds: null,
      ...NOTHING_DONE,
    });
  });

  it('takes numbers that are none for none', () => {
    const record = { target: 'rebooting', timeout: 'x', steps_done: -1, resumed: 1.5, sent: 'yes' };
    const node = aNode({
      target_power_state: 'power on',
      driver_internal_info: { pending_power: record },
    });
    expect(pendingOf(node)).toEqual({
      target: 'rebooting',
      timeoutSeconds: null,
      ...NOTHING_DONE,
    });
  });

  it('is forgotten without touching its neighbours', () => {
    const node = aNode({
      driver_internal_info: { pending_power: {}, fake_boot_device: { boot_device: 'disk' } },
    });
    expect(withoutPending(node)).toEqual({ fake_boot_device: { boot_device: 'disk' } });
  });
});
