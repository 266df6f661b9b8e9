import { type NodeRecord } from '@tenure/contracts';
import { type Deadline, deadlineWithin } from '@tenure/process';
import { DriverFailure } from '../../domain/driver-failure.js';
import { type WorkResult } from '../../domain/provision/fields.js';
import { type DriverStep, type StepCall } from '../../ports/provisioning.js';
import { BIOS_ARGUMENTS, wantedSettings } from '../step-arguments.js';
import { attributesOf, isPasswordSetting, readBios, settingsPathOf } from './bios-resource.js';
import { type Resource } from './bmc-client.js';
import { actionOf, type Json, objectOf, textsOf } from './json.js';
import { type PowerPace } from './power-change.js';
import { type PoweredMachine, restartFor } from './restart.js';
import { type FindTarget, systemOf } from './target.js';

/** Milliseconds that a machine may take to come up with new settings, and that one command is given. */
const APPLY_MS = 900_000;
const COMMAND_MS = 90_000;

export interface RedfishStepParts {
  readonly find: FindTarget;
  readonly machine: PoweredMachine;
  readonly pace: PowerPace;
}

/** Runs only when it is requested, and cannot be aborted. */
export const ON_REQUEST = { priority: 0, abortable: false } as const;

/** Steps on the BIOS by Redfish; both restart the machine. */
export const biosSteps = (parts: RedfishStepParts): readonly DriverStep[] => [
  {
    interface: 'bios',
    step: 'apply_configuration',
    ...ON_REQUEST,
    args: BIOS_ARGUMENTS,
    isInParts: true,
    run: (node, call, deadline) => apply(parts, node, call, deadlineWithin(deadline, APPLY_MS)),
  },
  {
    interface: 'bios',
    step: 'factory_reset',
    ...ON_REQUEST,
    args: {},
    isInParts: true,
    run: (node, call, deadline) => reset(parts, node, call, deadlineWithin(deadline, APPLY_MS)),
  },
];

/** Sends settings, restarts the machine, and reads them back. Nothing is sent when they are in force already. */
async function apply(
  { find, machine, pace }: RedfishStepParts,
  node: NodeRecord,
  { args, ...job }: StepCall,
  deadline: Deadline,
): Promise<WorkResult> {
  const { bmc, bios } = await biosOf(find, node, deadline);
  const wanted = wantedOf(args, attributesOf(bios));
  const path = settingsPathOf(bios);
  const settings = await bmc.within(COMMAND_MS).read(path);
  const afterNextStart = { ...attributesOf(bios), ...attributesOf(settings) };
  const isInForce = isSo(attributesOf(bios), wanted) && isSo(afterNextStart, wanted);
  // Noted before anything is sent: work that was interrupted after it still has to end the restart.
  const need = await job.noted('settings', () =>
    Promise.resolve(isInForce ? 'in force' : 'to be set'),
  );
  if (need === 'in force') return {};
  const body = { Attributes: wanted, ...applyTimeOf(bios) };
  await job.part('set', async ({ begunBefore }) => {
    // Settings that already wait for the next start were accepted by the BMC before a restart of the conductor.
    if (begunBefore > 0 && isSo(afterNextStart, wanted)) return {};
    await bmc.within(COMMAND_MS).change(settings, { method: 'PATCH', path, body });
    return {};
  });
  const isThere = async (): Promise<boolean> =>
    isSo(attributesOf(await bmc.within(COMMAND_MS).read(bios.path)), wanted);
  const missing = `the BIOS does not show what was set after a restart: ${namesOf(wanted)}`;
  const power = await restartFor({ machine, pace, node, job }, { isThere, missing }, deadline);
  return { set: { power_state: power } };
}

/**
 * Requests the factory defaults and restarts the machine. Only the BIOS has the list of defaults, so the check is only that it
 * shows settings again.
 */
async function reset(
  { find, machine, pace }: RedfishStepParts,
  node: NodeRecord,
  job: StepCall,
  deadline: Deadline,
): Promise<WorkResult> {
  const { bmc, bios } = await biosOf(find, node, deadline);
  const path = actionOf(bios.data, '#Bios.ResetBios');
  if (path === undefined)
    throw new DriverFailure('unsupported', 'the BMC does not offer to reset the BIOS');
  await job.part('reset', async ({ begunBefore }) => {
    // It cannot be found out whether the reset was sent.
    if (begunBefore > 0)
      throw new DriverFailure(
        'no_effect',
        'the conductor was interrupted before the BMC confirmed the reset; it is not sent again',
      );
    await bmc.within(COMMAND_MS).change(bios, { method: 'POST', path, body: {} });
    return {};
  });
  const isThere = async (): Promise<boolean> => {
    await readBios(bmc.within(COMMAND_MS), bios.path);
    return true;
  };
  const missing = 'the BIOS shows no settings after its reset';
  const power = await restartFor({ machine, pace, node, job }, { isThere, missing }, deadline);
  return { set: { power_state: power } };
}

async function biosOf(find: FindTarget, node: NodeRecord, deadline: Deadline) {
  const found = await systemOf(find, node, deadlineWithin(deadline, COMMAND_MS));
  const bmc = found.bmc.until(deadline);
  return { bmc, bios: await readBios(bmc.within(COMMAND_MS), found.system.biosPath) };
}

/** The settings to change, with values in the types of the BMC. Throws DriverFailure (`settings`). */
function wantedOf(args: StepCall['args'], attributes: Json): Json {
  const settings = wantedSettings(args);
  if (settings.some(({ name }) => isPasswordSetting(name)))
    throw new DriverFailure('settings', 'passwords of the BIOS cannot be set by a step');
  const unknown = settings.filter(({ name }) => !Object.hasOwn(attributes, name));
  if (unknown.length > 0)
    throw new DriverFailure(
      'settings',
      `the BIOS has no setting ${unknown.map(({ name }) => name).join(', ')}`,
    );
  return Object.fromEntries(
    settings.map(({ name, value }) => [name, asKept(value, attributes[name])]),
  );
}

const isSo = (attributes: Json, wanted: Json): boolean =>
  Object.entries(wanted).every(([name, value]) => attributes[name] === value);

/** The apply time, which some BMCs require for settings of the next start. */
function applyTimeOf(bios: Resource): Json {
  const times = textsOf(objectOf(bios.data['@Redfish.Settings'])['SupportedApplyTimes']);
  return times?.includes('OnReset') === true
    ? { '@Redfish.SettingsApplyTime': { ApplyTime: 'OnReset' } }
    : {};
}

const namesOf = (wanted: Json): string => Object.keys(wanted).join(', ');

/** A value as the BMC keeps it: clients send numbers and truths as text, too. */
function asKept(value: unknown, kept: unknown): unknown {
  const text = String(value);
  if (typeof kept === 'number' && text.trim() !== '' && Number.isFinite(Number(text)))
    return Number(text);
  if (typeof kept === 'boolean' && /^(?:true|false)$/iu.test(text))
    return text.toLowerCase() === 'true';
  return typeof kept === 'string' ? text : value;
}
