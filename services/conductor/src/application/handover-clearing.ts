import {
  type HandoverOutcome,
  type HandoverStep,
  type HandoverStepName,
  type NodeRecord,
  timestampOf,
} from '@tenure/contracts';
import { type Deadline } from '@tenure/process';
import { withoutAgent } from '../domain/agent.js';
import { isBootMode } from '../domain/boot-mode.js';
import { DriverFailure } from '../domain/driver-failure.js';
import {
  type HardwareBefore,
  hardwareBefore,
  withoutHardwareBefore,
} from '../domain/hardware-before.js';
import { type Fields } from '../domain/members.js';
import { stepName } from '../domain/provision/steps.js';
import { MEDIA_DEVICES } from '../domain/virtual-media.js';
import { type BiosCapability } from '../ports/hardware-capabilities.js';
import { isSwitchedOff } from './capability.js';
import { clearPower } from './handover-power.js';
import { type LockedWork, writeWithRetry } from './locked-write.js';
import { isLockLost } from './node-locks.js';
import { type SharedParts } from './shared-parts.js';
import { withInternal } from './under-lock.js';
import { jobUnder } from './work-job.js';

export interface ClearingOptions extends Pick<SharedParts, 'driverOf' | 'now'> {
  /** Detaches every VIF of the node; returns how many there were. */
  readonly detachAll: (work: LockedWork) => Promise<number>;
  /** Reads BIOS settings and firmware versions again; never throws. */
  readonly refreshDocuments: (node: NodeRecord) => Promise<void>;
}

/** The results of clearing a machine between two tenancies. */
export interface Cleared {
  readonly steps: readonly HandoverStep[];
  /** Settings that were restored. */
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
export type Clear = (work: LockedWork) => Promise<Cleared>;

interface Done {
  readonly outcome: Exclude<HandoverOutcome, 'failed'>;
  readonly set?: Fields;
  readonly put_back?: Fields;
}

const NOTHING: Done = { outcome: 'nothing_to_do' };
const UNSUPPORTED: Done = { outcome: 'unsupported' };

/** The clearing of one machine. */
interface Run extends LockedWork {
  readonly options: ClearingOptions;
}

interface Step {
  readonly name: HandoverStepName;
  /** Done also when the hardware does not answer. */
  readonly needsNoHardware?: true;
  readonly act: (run: Run) => Promise<Done>;
}

const voidSecret: Step['act'] = ({ lock }) => {
  const node = lock.node();
  const info = withoutAgent(node.driver_internal_info);
  const hasNone = Object.keys(info).length === Object.keys(node.driver_internal_info).length;
  return Promise.resolve(
    hasNone ? NOTHING : { outcome: 'done', set: { driver_internal_info: info } },
  );
};

/** Off, as read from the hardware. */
const powerOff: Step['act'] = async (run) => {
  const off = await clearPower(run.options, run);
  if (off === 'unsupported') return UNSUPPORTED;
  return { outcome: off.wasOff ? 'nothing_to_do' : 'done', set: off.set };
};

const ejectMedia: Step['act'] = async ({ lock, deadline, options }) => {
  const node = lock.node();
  const { virtualMedia: media } = options.driverOf(node);
  if (media === undefined) return UNSUPPORTED;
  const drives = await media.list(node, deadline);
  if (!drives.some(({ inserted }) => inserted)) return NOTHING;
  const info = await media.detach(node, MEDIA_DEVICES, deadline);
  return { outcome: 'done', set: withInternal(node, info) };
};

const detachVifs: Step['act'] = async (run) =>
  (await run.options.detachAll(run)) === 0 ? NOTHING : { outcome: 'done' };

const closeConsole: Step['act'] = async ({ lock, deadline, options }) => {
  const node = lock.node();
  if (!node.console_enabled) return NOTHING;
  const driver = options.driverOf(node);
  if (driver.console !== undefined && !isSwitchedOff(driver, node, 'console'))
    await driver.console.stop(node, deadline);
  return { outcome: 'done', set: { console_enabled: false } };
};

const isPresent = <T>(value: T): value is NonNullable<T> => (value ?? null) !== null;

/** The value that a setting was restored to, and the fields to write to the node. */
interface PutBack<T> {
  readonly set: Fields;
  readonly value: T;
}

/** How a setting is restored: `unsupported` by hardware that has no such setting, or `as_it_was` already. */
type Put<K extends keyof HardwareBefore> = (
  run: Run,
  value: NonNullable<HardwareBefore[K]>,
) => Promise<PutBack<NonNullable<HardwareBefore[K]>> | 'as_it_was' | 'unsupported'>;

/** Restores one setting if the tenant changed it, then deletes the recorded value: the next tenancy records its own. */
const putBack = <K extends keyof HardwareBefore>(name: K, put: Put<K>): Step => ({
  name,
  act: async (run) => {
    const { lock } = run;
    const recorded = hardwareBefore(lock.node());
    if (!(name in recorded)) return NOTHING;
    const before = recorded[name];
    const result = isPresent(before)
      ? await orUnsupported(() => put(run, before), 'unsupported' as const)
      : 'unsupported';
    const set = typeof result === 'string' ? {} : result.set;
    const forgotten = withoutHardwareBefore({ ...lock.node(), ...set }, name);
    const written = { ...set, driver_internal_info: forgotten };
    if (result === 'unsupported') return { ...UNSUPPORTED, set: written };
    if (result === 'as_it_was') return { ...NOTHING, set: written };
    return { outcome: 'done', set: written, put_back: { [name]: result.value } };
  },
});

const APPLY = 'bios.apply_configuration';

/** BIOS settings come into force with a start: the machine is off again afterwards. */
const putBiosBack: Put<'bios'> = async (run, before) => {
  const { lock, deadline, options } = run;
  const node = lock.node();
  const driver = options.driverOf(node);
  const steps = Object.values(driver.provisioning.steps).flat();
  const step = steps.find((one) => stepName(one) === APPLY);
  if (step === undefined || driver.bios === undefined) return 'unsupported';
  const value = await biosToPutBack(driver.bios, node, before, deadline);
  const settings = Object.entries(value).map(([name, one]) => ({ name, value: one }));
  if (settings.length === 0) return 'as_it_was';
  const call = { args: { settings }, ...jobUnder(run, `clearing ${APPLY}`) };
  const { set = {}, internal = {} } = await step.run(node, call, deadline);
  await writeWithRetry(run, { ...set, ...withInternal(node, internal) });
  const off = await clearPower(options, run);
  // The BIOS settings in the inventory are still the former tenant's.
  await options.refreshDocuments(lock.node());
  return { set: off === 'unsupported' ? {} : off.set, value };
};

/** A machine that had no device set has none again. */
const putBootDeviceBack: Put<'boot_device'> = async ({ lock, deadline, options }, before) => {
  const node = lock.node();
  const driver = options.driverOf(node);
  const { boot_device: device, persistent } = before;
  if (device !== null) {
    const change = { device, persistent: persistent === true };
    const info = await driver.setBootDevice(node, change, deadline);
    return { set: withInternal(node, info), value: before };
  }
  if (driver.clearBootDevice === undefined) return 'unsupported';
  return { set: withInternal(node, await driver.clearBootDevice(node, deadline)), value: before };
};

const STEPS: readonly Step[] = [
  { name: 'agent_secret', needsNoHardware: true, act: voidSecret },
  { name: 'power_off', act: powerOff },
  { name: 'virtual_media', act: ejectMedia },
  { name: 'vifs', needsNoHardware: true, act: detachVifs },
  { name: 'console', act: closeConsole },
  putBack('boot_mode', async ({ lock, deadline, options }, mode) => {
    const { bootMode } = options.driverOf(lock.node());
    if (bootMode === undefined || !isBootMode(mode)) return 'unsupported';
    const boot_mode = await bootMode.set(lock.node(), mode, deadline);
    return { set: { boot_mode }, value: boot_mode };
  }),
  putBack('secure_boot', async ({ lock, deadline, options }, enabled) => {
    const { secureBoot } = options.driverOf(lock.node());
    if (secureBoot === undefined) return 'unsupported';
    const secure_boot = await secureBoot.set(lock.node(), enabled, deadline);
    return { set: { secure_boot }, value: secure_boot };
  }),
  putBack('boot_device', putBootDeviceBack),
  putBack('bios', putBiosBack),
];

const UNDONE = 'The hardware did not answer, or refused.';

/**
 * Removes what a tenant left on a machine and restores its settings, one step after the other. Each step is recorded when
 * it is done. Steps that need no BMC are done even when the BMC fails.
 */
export function createClearing(options: ClearingOptions): Clear {
  const { now } = options;
  const stepOf = (step: HandoverStepName, outcome: HandoverOutcome): HandoverStep => ({
    step,
    outcome,
    at: timestampOf(now()),
    detail: outcome === 'failed' ? UNDONE : null,
  });
  return async (work) => {
    const done: HandoverStep[] = [];
    let put_back: Fields = {};
    let failure: unknown;
    for (const { name, act, needsNoHardware = false } of STEPS) {
      if (failure !== undefined && !needsNoHardware) continue;
      try {
        const result = await orUnsupported(() => act({ ...work, options }), UNSUPPORTED);
        if (result.set !== undefined) await writeWithRetry(work, result.set);
        put_back = { ...put_back, ...result.put_back };
        done.push(stepOf(name, result.outcome));
      } catch (error) {
        if (isLockLost(error)) throw error;
        done.push(stepOf(name, 'failed'));
        failure ??= error;
      }
    }
    if (failure !== undefined)
      throw new ClearingFailure({ steps: done, put_back }, { cause: failure });
    return { steps: done, put_back };
  };
}

/** Hardware that cannot do it at all has nothing of the kind to clear. */
async function orUnsupported<T, U>(act: () => Promise<T>, unsupported: U): Promise<T | U> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof DriverFailure && error.kind === 'unsupported') return unsupported;
    throw error;
  }
}

/**
 * The settings that are not as they were, now or from the next start on: a change that came to no start is waiting in the
 * BMC, and would come into force with the first start of the next tenant.
 */
async function biosToPutBack(
  bios: BiosCapability,
  node: NodeRecord,
  before: NonNullable<HardwareBefore['bios']>,
  deadline: Deadline,
): Promise<Readonly<Record<string, string>>> {
  const valuesOf = (settings: Awaited<ReturnType<BiosCapability['settings']>>) =>
    new Map(settings.map(({ name, value }) => [name, value]));
  const present = valuesOf(await bios.settings(node, deadline));
  const toCome = valuesOf((await bios.settingsToCome?.(node, deadline)) ?? []);
  return Object.fromEntries(
    Object.entries(before).filter(
      (pair): pair is [string, string] =>
        pair[1] !== null &&
        present.has(pair[0]) &&
        (present.get(pair[0]) !== pair[1] || (toCome.get(pair[0]) ?? pair[1]) !== pair[1]),
    ),
  );
}
