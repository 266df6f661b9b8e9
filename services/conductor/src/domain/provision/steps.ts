import { type TSchema } from '@sinclair/typebox';
import { type api, AppError, fieldOf, type NodeRecord, parse, repeatedIn } from '@tenure/contracts';
import { DriverFailure } from '../driver-failure.js';
import { RESERVED_ARGUMENTS } from './reserved-steps.js';
import { type BusyState } from './states.js';
import { type StepArguments } from './step-arguments.js';

/** States in which steps are done, and what Ironic calls the steps of each. */
const KINDS = { cleaning: 'clean', deploying: 'deploy', servicing: 'service' } as const;

export type SteppedState = keyof typeof KINDS;
export type StepKind = (typeof KINDS)[SteppedState];

/** A step as a driver lists it. */
export interface OfferedStep {
  readonly interface: NonNullable<api.ProvisionStep['interface']>;
  readonly step: string;
  /** 0: runs only when it is requested. */
  readonly priority: number;
  readonly abortable: boolean;
  readonly args: StepArguments;
  /** Done by the agent on the machine. */
  readonly inBand?: boolean;
  /** The agent requests a reboot once it is done. */
  readonly rebootRequested?: boolean;
  /** Whether a node has it; every node when left out. */
  readonly appliesTo?: (node: NodeRecord) => boolean;
}

/** A step as it is recorded before any step runs. */
export interface PlannedStep {
  /** Undefined for a step of the state machine itself. */
  readonly interface?: NonNullable<api.ProvisionStep['interface']>;
  readonly step: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly priority: number;
  readonly abortable: boolean;
  /** Done by the agent on the machine, which lists it itself. */
  readonly in_band?: true;
  /** The agent is booted again once it is done. */
  readonly reboot_requested?: true;
}

/** The deployment itself, which has its place among the steps of a deployment. */
const CORE: PlannedStep = {
  interface: 'deploy',
  step: 'deploy',
  args: {},
  priority: 100,
  abortable: false,
};

type Checked = { readonly problems: readonly string[] } | { readonly planned: PlannedStep };

/** Which interface's steps come first among those of one priority, as in Ironic. */
const INTERFACE_ORDER: readonly string[] = ['power', 'management', 'deploy', 'bios', 'raid'];

/** The steps that are available to plan with. */
export interface Offer {
  readonly steps: readonly OfferedStep[];
  /** The agent's steps are not read yet: a requested step that no driver offers may be one of them, and is left for later. */
  readonly isPartial?: boolean;
}

export const isSteppedState = (state: BusyState): state is SteppedState =>
  Object.hasOwn(KINDS, state);

export const stepKindOf = (state: SteppedState): StepKind => KINDS[state];

/** Ironic's name of a step, for example `raid.create_configuration`. */
export const stepName = (step: Pick<api.ProvisionStep, 'interface' | 'step'>): string =>
  step.interface === undefined ? step.step : `${step.interface}.${step.step}`;

export const isCore = (step: Pick<api.ProvisionStep, 'interface' | 'step'>): boolean =>
  stepName(step) === stepName(CORE);

/** Whether the step is required, but neither driver nor agent offers it. */
export const isUnknownStep = (
  node: NodeRecord,
  step: api.ProvisionStep,
  offered: readonly OfferedStep[],
): boolean =>
  step.interface !== undefined &&
  !isCore(step) &&
  !offered.some((one) => isOn(node, one) && stepName(one) === stepName(step));

/**
 * The plan for requested steps. Those of a deployment are ordered by priority together with the default steps, others keep
 * their order. When none are requested, the plan has the default steps.
 * @throws DriverFailure (`settings`) with all problems, in Ironic's messages
 */
export function planOf(
  node: NodeRecord,
  state: SteppedState,
  requested: readonly api.ProvisionStep[],
  offer: Offer,
): readonly PlannedStep[] {
  const kind = stepKindOf(state);
  // In a deployment a priority of 0 switches a step off.
  const enabled =
    kind === 'deploy' ? requested.filter(({ priority }) => priority !== 0) : requested;
  const has = offer.steps.filter((step) => isOn(node, step));
  const wanted =
    offer.isPartial === true ? enabled.filter((step) => !isUnknownStep(node, step, has)) : enabled;
  const checked = wanted.map((step) => checkedStep(step, has, kind));
  const problems = [
    ...checked.flatMap((one) => ('problems' in one ? one.problems : [])),
    ...(kind === 'deploy' ? duplicatesOf(enabled) : []),
  ];
  if (problems.length > 0) throw new DriverFailure('settings', problems.join('; '));
  const steps = checked.flatMap((one) => ('planned' in one ? [one.planned] : []));
  if (kind !== 'deploy')
    return requested.length > 0 ? steps : ownSteps(has, []).toSorted(byPriority);
  const own = ownSteps(has, requested);
  const isCoreMissing = ![...requested, ...own].some((step) => isCore(step));
  return [...steps, ...own, ...(isCoreMissing ? [CORE] : [])].toSorted(byPriority);
}

/** A new plan once the agent's steps are available: steps that are done stay done. */
export function replanned(
  done: readonly PlannedStep[],
  plan: readonly PlannedStep[],
): readonly PlannedStep[] {
  const keyOf = (step: PlannedStep): string => `${String(step.priority)} ${stepName(step)}`;
  const doneOf = new Map<string, number>();
  for (const step of done) doneOf.set(keyOf(step), (doneOf.get(keyOf(step)) ?? 0) + 1);
  const left = plan.filter((step) => {
    const times = doneOf.get(keyOf(step)) ?? 0;
    if (times > 0) doneOf.set(keyOf(step), times - 1);
    return times === 0;
  });
  return [...done, ...left];
}

/** Whether a node has a step of its driver: an interface that is switched off has none. */
const isOn = (node: NodeRecord, { interface: name, appliesTo }: OfferedStep): boolean =>
  fieldOf(node, `${name}_interface`) !== `no-${name}` && (appliesTo?.(node) ?? true);

function checkedStep(
  step: api.ProvisionStep,
  offered: readonly OfferedStep[],
  kind: StepKind,
): Checked {
  const name = stepName(step);
  if (kind === 'deploy' && step.priority === undefined)
    return { problems: [`deploy step ${name} has no priority`] };
  if (step.interface === undefined)
    return planned(step, { args: RESERVED_ARGUMENTS[step.step] ?? {} }, kind);
  if (kind === 'deploy' && isCore(step))
    return {
      problems: [
        `deploy step ${name} is a core step and cannot be overridden; it may be disabled by setting the priority to 0`,
      ],
    };
  const found = offered.find((one) => stepName(one) === name);
  return found === undefined
    ? { problems: [`node does not support this ${kind} step: ${name}`] }
    : planned(step, found, kind);
}

function duplicatesOf(steps: readonly api.ProvisionStep[]): readonly string[] {
  const names = steps.filter((step) => step.interface !== undefined).map((step) => stepName(step));
  const twice = repeatedIn(names);
  return twice.size === 0 ? [] : [`duplicate deploy steps: ${[...twice].join(', ')}`];
}

/** The default steps, without those that the request names. */
function ownSteps(
  offered: readonly OfferedStep[],
  requested: readonly api.ProvisionStep[],
): readonly PlannedStep[] {
  const named = new Set(requested.map((step) => stepName(step)));
  return offered
    .filter((step) => step.priority > 0 && !named.has(stepName(step)))
    .map((step) =>
      plannedStep({ interface: step.interface, step: step.step }, step, step.priority),
    );
}

const byPriority = (one: PlannedStep, other: PlannedStep): number =>
  other.priority - one.priority || placeOf(one) - placeOf(other);

function planned(step: api.ProvisionStep, offered: Partial<OfferedStep>, kind: StepKind): Checked {
  const problems = argumentProblems(step, offered.args ?? {}, kind);
  // Only a deployment lets its steps be ordered by who asks for them.
  return problems.length > 0
    ? { problems }
    : {
        planned: plannedStep(step, offered, kind === 'deploy' ? step.priority : offered.priority),
      };
}

/** Problems with the arguments of a step, in Ironic's order: unknown ones, missing ones, and bad values. */
function argumentProblems(
  step: api.ProvisionStep,
  takes: StepArguments,
  kind: StepKind,
): readonly string[] {
  const name = stepName(step);
  const given = step.args ?? {};
  const unexpected = Object.keys(given).filter((one) => !Object.hasOwn(takes, one));
  const missing = Object.keys(takes).filter(
    (one) => takes[one]?.required === true && !Object.hasOwn(given, one),
  );
  const values = Object.entries(takes)
    .filter(([one]) => Object.hasOwn(given, one))
    .flatMap(([one, { schema }]) => valueProblem(schema, given[one], `${one} of ${name}`));
  return [
    ...(unexpected.length === 0
      ? []
      : [`${kind} step ${name} has these unexpected arguments: ${unexpected.join(', ')}`]),
    ...(missing.length === 0
      ? []
      : [`${kind} step ${name} is missing these required arguments: ${missing.join(', ')}`]),
    ...values,
  ];
}

const plannedStep = (
  step: api.ProvisionStep,
  offered: Partial<OfferedStep>,
  priority: number | undefined,
): PlannedStep => ({
  ...(step.interface !== undefined && { interface: step.interface }),
  step: step.step,
  args: step.args ?? {},
  priority: priority ?? 0,
  abortable: offered.abortable ?? false,
  ...(offered.inBand === true && { in_band: true }),
  ...(offered.rebootRequested === true && { reboot_requested: true }),
});

function valueProblem(schema: TSchema, value: unknown, what: string): readonly string[] {
  try {
    parse(schema, value, what);
    return [];
  } catch (error) {
    if (error instanceof AppError) return [error.message.replace(/\.$/u, '')];
    throw error;
  }
}

const placeOf = ({ interface: name = '' }: PlannedStep): number =>
  (INTERFACE_ORDER.indexOf(name) + INTERFACE_ORDER.length + 1) % (INTERFACE_ORDER.length + 1);
