import { type NodeRecord } from '@tenure/contracts';
import { type Fields } from '../members.js';
import { PENDING_PROVISION, type PendingProvision, toPendingRecord } from './pending.js';
import { isBusyState } from './states.js';
import { isSteppedState, type PlannedStep, type StepKind, stepKindOf } from './steps.js';

const KIND_NAMES: readonly StepKind[] = ['clean', 'deploy', 'service'];

/** Members of `driver_internal_info`, named as Ironic's: the plan, and the index of the step that was begun last. */
const planKey = (kind: StepKind): string => `${kind}_steps`;
const indexKey = (kind: StepKind): string => `${kind}_step_index`;

/** Member of `driver_internal_info` with the results of clean steps, where they are recorded. */
export const CLEAN_RESULTS = 'clean_step_results';

/** Members of `driver_internal_info` that end with the work. */
export const STEP_MEMBERS: readonly string[] = [
  CLEAN_RESULTS,
  ...KIND_NAMES.flatMap((kind) => [planKey(kind), indexKey(kind)]),
];

/** The recorded plan; undefined when there is none yet. */
export function recordedPlan(node: NodeRecord, kind: StepKind): readonly PlannedStep[] | undefined {
  const steps = node.driver_internal_info[planKey(kind)];
  return Array.isArray(steps) && steps.every(isPlanned) ? steps : undefined;
}

/** Index of the step that was begun last; undefined before the first. */
export function begunIndex(node: NodeRecord, kind: StepKind): number | undefined {
  const index = node.driver_internal_info[indexKey(kind)];
  return typeof index === 'number' && Number.isSafeInteger(index) ? index : undefined;
}

/** The plan, before any of it is done; `internal` are members of `driver_internal_info` that come with it. */
export const plannedFields = (
  node: NodeRecord,
  kind: StepKind,
  { plan, internal = {} }: { readonly plan: readonly PlannedStep[]; readonly internal?: Fields },
): Fields => ({
  [`${kind}_step`]: {},
  driver_internal_info: {
    ...node.driver_internal_info,
    [planKey(kind)]: plan,
    [indexKey(kind)]: null,
    ...internal,
  },
});

/** A step that is about to be done. */
export const begunFields = (
  node: NodeRecord,
  kind: StepKind,
  index: number,
  step: PlannedStep,
): Fields => ({
  [`${kind}_step`]: step,
  driver_internal_info: { ...node.driver_internal_info, [indexKey(kind)]: index },
});

/** The fields that record a step as done. */
export const confirmedFields = (
  node: NodeRecord,
  pending: PendingProvision,
  { set, internal }: { readonly set?: Fields; readonly internal?: Fields },
  now: Date,
): Fields => ({
  ...set,
  driver_internal_info: {
    ...node.driver_internal_info,
    ...internal,
    [PENDING_PROVISION]: toPendingRecord(pending, now.toISOString()),
  },
});

/** The fields that show a step, empty, for a node on which none is running any more. */
export function noStep(provisionState: string): Fields {
  if (isBusyState(provisionState))
    return isSteppedState(provisionState) ? { [`${stepKindOf(provisionState)}_step`]: {} } : {};
  const kindOnHold = KIND_NAMES.find((kind) => provisionState === `${kind} hold`);
  return kindOnHold === undefined ? {} : { [`${kindOnHold}_step`]: {} };
}

const isPlanned = (value: unknown): value is PlannedStep =>
  typeof value === 'object' &&
  value !== null &&
  'step' in value &&
  typeof value.step === 'string' &&
  'args' in value &&
  typeof value.args === 'object';
