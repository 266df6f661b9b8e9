import {
  type HandoverOutcome,
  type HandoverStep,
  type HandoverStepName,
  type NodeRecord,
  timestampOf,
} from '@tenure/contracts';
import { type Deadline, within } from '../deadline.js';
import { withoutAgent } from '../domain/agent.js';
import { isBootMode } from '../domain/boot-mode.js';
import { DriverFailure } from '../domain/driver-failure.js';
import {
  type HardwareBefore,
  hardwareBefore,
  withoutHardwareBefore,
} from '../domain/hardware-before.js';
import { PENDING_POWER } from '../domain/power.js';
import { stepName } from '../domain/provision/steps.js';
import { MEDIA_DEVICES } from '../domain/virtual-media.js';
import { type DriverOf } from '../ports/hardware-driver.js';
import { proofOf } from './agent-session.js';
import { isSwitchedOff } from './capability.js';
import { type HeldLock, isLockLost } from './node-locks.js';
import { writePatiently } from './patient-write.js';
import { withInternal } from './under-lock.js';

type Fields = Readonly<Record<string, unknown>>;

export interface ClearingOptions {
  readonly driverOf: DriverOf;
  /** Detaches every VIF of the node; returns how many there were. */
  readonly detachAll: (lock: HeldLock, deadline: Deadline) => Promise<number>;
  readonly now: () => Date;
}

/** What was done to a machine between two tenancies. */
export interface Cleared {
  readonly steps: readonly HandoverStep[];
  /** Settings that were put back. */
  readonly put_back: Fields;
}

/** A step failed; `cleared` is what was done before, and the step. */
export class ClearingFailure extends Error {
  readonly cleared: Cleared;

  constructor(cleared: Cleared, options: ErrorOptions) {
    super('the machine could not be cleared', options);
    this.name = 'ClearingFailure';
    this.cleared = cleared;
  }
}

/** Clears a machine under its lock, which is kept. Safe to repeat. @throws ClearingFailure; AppError `lock_lost` */
export type Clear = (lock: HeldLock, deadline: Deadline) => Promise<Cleared>;

/** Milliseconds that a change of power is given. */
const POWER_MS = 120_000;

interface Done {
  readonly outcome: Exclude<HandoverOutcome, 'failed'>;
  readonly set?: Fields;
  readonly put_back?: Fields;
}

const NOTHING: Done = { outcome: 'nothing_to_do' };
const UNSUPPORTED: Done = { outcome: 'unsupported' };

interface Step {
  readonly name: HandoverStepName;
  /** Done also when the hardware does not answer. */
  readonly needsNoHardware?: true;
  readonly act: (lock: HeldLock, deadline: Deadline) => Promise<Done>;
}

const voidSecret = (lock: HeldLock): Promise<Done> => {
  const node = lock.node();
  const info = withoutAgent(node.driver_internal_info);
  const hasNone = Object.keys(info).length === Object.keys(node.driver_internal_info).length;
  return Promise.resolve(
    hasNone ? NOTHING : { outcome: 'done', set: { driver_internal_info: info } },
  );
};

const OFF = 'power off';

/** Off, as the hardware says. */
const powerOff =
  (driverOf: DriverOf): Step['act'] =>
  async (lock, deadline) => {
    const node = lock.node();
    if (node['disable_power_off'] === true) return UNSUPPORTED;
    const driver = driverOf(node);
    const limit = within(deadline, POWER_MS);
    const seen = await driver.getPowerState(node, limit);
    const power_state =
      seen === OFF ? seen : await driver.setPowerState(node, { goal: OFF, soft: false }, limit);
    const info = Object.fromEntries(
      Object.entries(node.driver_internal_info).filter(([name]) => name !== PENDING_POWER),
    );
    return {
      outcome: seen === OFF ? 'nothing_to_do' : 'done',
      set: { power_state, target_power_state: null, driver_internal_info: info },
    };
  };

const ejectMedia =
  (driverOf: DriverOf): Step['act'] =>
  async (lock, deadline) => {
    const node = lock.node();
    const { virtualMedia: media } = driverOf(node);
    if (media === undefined) return UNSUPPORTED;
    const drives = await media.list(node, deadline);
    if (!drives.some(({ inserted }) => inserted)) return NOTHING;
    const info = await media.detach(node, MEDIA_DEVICES, deadline);
    return { outcome: 'done', set: withInternal(node, info) };
  };

const detachVifs =
  (detachAll: ClearingOptions['detachAll']): Step['act'] =>
  async (lock, deadline) =>
    (await detachAll(lock, deadline)) === 0 ? NOTHING : { outcome: 'done' };

const closeConsole =
  (driverOf: DriverOf): Step['act'] =>
  async (lock, deadline) => {
    const node = lock.node();
    if (node['console_enabled'] !== true) return NOTHING;
    const driver = driverOf(node);
    if (driver.console !== undefined && !isSwitchedOff(driver, node, 'console'))
      await driver.console.stop(node, deadline);
    return { outcome: 'done', set: { console_enabled: false } };
  };

const isKnown = <T>(value: T): value is NonNullable<T> => (value ?? null) !== null;

/** Puts one setting back, if the tenant changed it. */
const putBack =
  <K extends keyof HardwareBefore>(
    name: K,
    act: (
      lock: HeldLock,
      value: NonNullable<HardwareBefore[K]>,
      deadline: Deadline,
    ) => Promise<Fields | undefined>,
  ): Step['act'] =>
  async (lock, deadline) => {
    const before = hardwareBefore(lock.node())[name];
    if (!isKnown(before)) return NOTHING;
    const set = await act(lock, before, deadline);
    if (set === undefined) return UNSUPPORTED;
    const node: NodeRecord = { ...lock.node(), ...set };
    return {
      outcome: 'done',
      set: { ...set, driver_internal_info: withoutHardwareBefore(node, name) },
      put_back: { [name]: before },
    };
  };

const APPLY = 'bios.apply_configuration';

/** BIOS settings come into force with a start: the machine is off again afterwards. */
const putBiosBack = (driverOf: DriverOf): Step['act'] =>
  putBack('bios', async (lock, before, deadline) => {
    const node = lock.node();
    const driver = driverOf(node);
    const steps = Object.values(driver.provisioning.steps).flat();
    const step = steps.find((one) => stepName(one) === APPLY);
    if (step === undefined || driver.bios === undefined) return undefined;
    const present = new Map(
      (await driver.bios.settings(node, deadline)).map(({ name, value }) => [name, value]),
    );
    const settings = Object.entries(before)
      .filter(([name, value]) => value !== null && present.has(name) && present.get(name) !== value)
      .map(([name, value]) => ({ name, value }));
    if (settings.length === 0) return {};
    const call = { args: { settings }, proceed: proofOf({ lock, deadline }) };
    const { set = {}, internal = {} } = await step.run(node, call, deadline);
    await writePatiently(lock, { ...set, ...withInternal(node, internal) }, deadline);
    const { set: off = {} } = await powerOff(driverOf)(lock, deadline);
    return off;
  });

const stepsOf = ({ driverOf, detachAll }: ClearingOptions): readonly Step[] => [
  { name: 'agent_secret', needsNoHardware: true, act: voidSecret },
  { name: 'power_off', act: powerOff(driverOf) },
  { name: 'virtual_media', act: ejectMedia(driverOf) },
  { name: 'vifs', needsNoHardware: true, act: detachVifs(detachAll) },
  { name: 'console', act: closeConsole(driverOf) },
  {
    name: 'boot_mode',
    act: putBack('boot_mode', async (lock, mode, deadline) => {
      const { bootMode } = driverOf(lock.node());
      if (bootMode === undefined || !isBootMode(mode)) return undefined;
      return { boot_mode: await bootMode.set(lock.node(), mode, deadline) };
    }),
  },
  {
    name: 'secure_boot',
    act: putBack('secure_boot', async (lock, enabled, deadline) => {
      const { secureBoot } = driverOf(lock.node());
      if (secureBoot === undefined) return undefined;
      return { secure_boot: await secureBoot.set(lock.node(), enabled, deadline) };
    }),
  },
  {
    name: 'boot_device',
    act: putBack('boot_device', async (lock, { boot_device: device, persistent }, deadline) => {
      if (device === null) return undefined;
      const change = { device, persistent: persistent === true };
      const info = await driverOf(lock.node()).setBootDevice(lock.node(), change, deadline);
      return withInternal(lock.node(), info);
    }),
  },
  { name: 'bios', act: putBiosBack(driverOf) },
];

/** Hardware that cannot do it at all has nothing of the kind to clear. */
const unlessUnsupported = async (act: () => Promise<Done>): Promise<Done> => {
  try {
    return await act();
  } catch (error) {
    if (error instanceof DriverFailure && error.kind === 'unsupported') return UNSUPPORTED;
    throw error;
  }
};

const UNDONE = 'The hardware did not answer, or refused.';

/**
 * Takes away what a tenant left on a machine, and puts its settings back: one step after the other, each written down when
 * it is done. What needs no BMC is done although the BMC fails.
 */
export const createClearing = (options: ClearingOptions): Clear => {
  const steps = stepsOf(options);
  const { now } = options;
  const told = (step: HandoverStepName, outcome: HandoverOutcome): HandoverStep => ({
    step,
    outcome,
    at: timestampOf(now()),
    detail: outcome === 'failed' ? UNDONE : null,
  });
  return async (lock, deadline) => {
    const done: HandoverStep[] = [];
    let put_back: Fields = {};
    let failure: unknown;
    for (const { name, act, needsNoHardware = false } of steps) {
      if (failure !== undefined && !needsNoHardware) continue;
      try {
        const result = await unlessUnsupported(() => act(lock, deadline));
        if (result.set !== undefined) await writePatiently(lock, result.set, deadline);
        put_back = { ...put_back, ...result.put_back };
        done.push(told(name, result.outcome));
      } catch (error) {
        if (isLockLost(error)) throw error;
        done.push(told(name, 'failed'));
        failure ??= error;
      }
    }
    if (failure !== undefined)
      throw new ClearingFailure({ steps: done, put_back }, { cause: failure });
    return { steps: done, put_back };
  };
};
