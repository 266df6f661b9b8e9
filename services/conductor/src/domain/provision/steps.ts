import { type TSchema } from '@sinclair/typebox';
import { AppError, type NodeRecord, parse } from '@tenure/contracts';
import { DriverFailure } from '../driver-failure.js';
import { type ProvisionStep } from './order.js';
import { RESERVED_ARGUMENTS } from './reserved-steps.js';
import { type BusyState } from './states.js';
import { type StepArguments } from './step-arguments.js';

/** States in which steps are done, and what Ironic calls the steps of each. */
const KINDS = { cleaning: 'clean', deploying: 'deploy', servicing: 'service' } as const;

export type SteppedState = keyof typeof KINDS;
export type StepKind = (typeof KINDS)[SteppedState];

export const isSteppedState = (state: BusyState): state is SteppedState =>
  Object.hasOwn(KINDS, state);

export const stepKindOf = (state: SteppedState): StepKind => KINDS[state];

/** A step as a driver lists it. */
export interface OfferedStep {
  readonly interface: NonNullable<ProvisionStep['interface']>;
  readonly step: string;
  /** 0: only done when it is asked for. */
  readonly priority: number;
  readonly abortable: boolean;
  readonly args: StepArguments;
}

/** A step as it is written down before any is done. */
export interface PlannedStep {
  /** Undefined for a step of the state machine itself. */
  readonly interface?: NonNullable<ProvisionStep['interface']>;
  readonly step: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly priority: number;
  readonly abortable: boolean;
}

/** Ironic's name of a step, for example `raid.create_configuration`. */
export const stepName = (step: Pick<ProvisionStep, 'interface' | 'step'>): string =>
  step.interface === undefined ? step.step : `${step.interface}.${step.step}`;

/** The deployment itself, which has its place among the steps of a deployment. */
const CORE: PlannedStep = {
  interface: 'deploy',
  step: 'deploy',
  args: {},
  priority: 100,
  abortable: false,
};

export const isCore = (step: Pick<ProvisionStep, 'interface' | 'step'>): boolean =>
  stepName(step) === stepName(CORE);

/** What a node has of its driver's steps: an interface that is switched off has none. */
const isOn = (node: NodeRecord, { interface: name }: OfferedStep): boolean =>
  node[`${name}_interface`] !== `no-${name}`;

const valueProblem = (schema: TSchema, value: unknown, what: string): readonly string[] => {
  try {
    parse(schema, value, what);
    return [];
  } catch (error) {
    if (error instanceof AppError) return [error.message.replace(/\.$/u, '')];
    throw error;
  }
};

/** What is wrong with the arguments of a step, in Ironic's order: those it does not take, those it lacks, and bad values. */
const argumentProblems = (
  step: ProvisionStep,
  takes: StepArguments,
  kind: StepKind,
): readonly string[] => {
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
};

type Checked = { readonly problems: readonly string[] } | { readonly planned: PlannedStep };

const planned = (step: ProvisionStep, offered: Partial<OfferedStep>, kind: StepKind): Checked => {
  const problems = argumentProblems(step, offered.args ?? {}, kind);
  if (problems.length > 0) return { problems };
  return {
    planned: {
      ...(step.interface !== undefined && { interface: step.interface }),
      step: step.step,
      args: step.args ?? {},
      // Only a deployment lets its steps be ordered by who asks for them.
      priority: (kind === 'deploy' ? step.priority : offered.priority) ?? 0,
      abortable: offered.abortable ?? false,
    },
  };
};

const checkedStep = (
  step: ProvisionStep,
  offered: readonly OfferedStep[],
  kind: StepKind,
): Checked => {
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
};

const duplicatesOf = (steps: readonly ProvisionStep[]): readonly string[] => {
  const names = steps.filter((step) => step.interface !== undefined).map((step) => stepName(step));
  const twice = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  return twice.size === 0 ? [] : [`duplicate deploy steps: ${[...twice].join(', ')}`];
};

/**
 * What is to be done for the steps that were asked for, in its order.
 * @throws DriverFailure (`settings`) with everything that is wrong, in Ironic's words
 */
export const planOf = (
  node: NodeRecord,
  state: SteppedState,
  asked: readonly ProvisionStep[],
  offered: readonly OfferedStep[],
): readonly PlannedStep[] => {
  const kind = stepKindOf(state);
  // In a deployment a priority of 0 switches a step off.
  const wanted = kind === 'deploy' ? asked.filter(({ priority }) => priority !== 0) : asked;
  const has = offered.filter((step) => isOn(node, step));
  const checked = wanted.map((step) => checkedStep(step, has, kind));
  const problems = [
    ...checked.flatMap((one) => ('problems' in one ? one.problems : [])),
    ...(kind === 'deploy' ? duplicatesOf(wanted) : []),
  ];
  if (problems.length > 0) throw new DriverFailure('settings', problems.join('; '));
  const steps = checked.flatMap((one) => ('planned' in one ? [one.planned] : []));
  if (kind !== 'deploy') return steps;
  const withCore = asked.some((step) => isCore(step)) ? steps : [...steps, CORE];
  return withCore.toSorted((one, other) => other.priority - one.priority);
};
