import { type NodeRecord, AppError } from '@tenure/contracts';
import { agentView } from '../domain/agent.js';
import { DriverFailure } from '../domain/driver-failure.js';
import { agentStepsIn } from '../domain/provision/agent-steps.js';
import { type Fields } from '../domain/provision/fields.js';
import { type PendingProvision, withPendingProvision } from '../domain/provision/pending.js';
import { plannedFields, recordedPlan } from '../domain/provision/step-progress.js';
import {
  isUnknownStep,
  type OfferedStep,
  type PlannedStep,
  planOf,
  replanned,
  stepKindOf,
  type SteppedState,
} from '../domain/provision/steps.js';
import { type NodePorts } from '../ports/node-ports.js';
import { agentBootOf, askAgent, pendingOf, type Session } from './agent-session.js';
import { withInventoryRetry, writeWithRetry } from './locked-write.js';

export interface StepSession extends Session {
  readonly state: SteppedState;
  readonly options: Session['options'] & { readonly ports: NodePorts };
}

/** The node and its ports as they are sent to the agent. */
export async function machineFor({ lock, options, deadline }: StepSession): Promise<Fields> {
  const ports = await withInventoryRetry(
    () => options.ports.list(lock.context(), lock.uuid, 'ports'),
    deadline,
  );
  const views = ports.map(({ uuid, address, pxe_enabled }) => ({ uuid, address, pxe_enabled }));
  return { node: agentView(lock.node()), ports: views };
}

/** Whether the agent's steps must be read before anything can be planned. */
export function needsAgentFirst(
  node: NodeRecord,
  {
    state,
    options,
    pending,
  }: {
    readonly state: SteppedState;
    readonly options: Pick<Session['options'], 'driverOf'>;
    readonly pending: PendingProvision;
  },
): boolean {
  if (state === 'deploying' || pending.disableRamdisk === true) return false;
  if (agentBootOf(options.driverOf, node) === undefined) return false;
  const offered = offeredOn(node, { state, options });
  return (
    pending.steps.length === 0 || pending.steps.some((step) => isUnknownStep(node, step, offered))
  );
}

/**
 * The recorded plan. It is made and recorded first when there is none, or when the agent's steps can be read now.
 * @returns undefined when the agent has to be booted first
 */
export async function planFor(session: StepSession): Promise<readonly PlannedStep[] | undefined> {
  const { lock, state, options } = session;
  const pending = pendingOf(session);
  const recorded = recordedPlan(lock.node(), stepKindOf(state));
  const { agent } = pending;
  if (agent?.phase === 'here' && !agent.isPlanned) return planWithAgent(session, recorded ?? []);
  if (recorded !== undefined) return recorded;
  const node = lock.node();
  if (needsAgentFirst(node, { state, options, pending })) return undefined;
  const isPartial = options.driverOf(node).provisioning.isDeployedByAgent?.(node) === true;
  const plan = planOf(node, state, pending.steps, {
    steps: offeredOn(node, session),
    isPartial: state === 'deploying' && isPartial,
  });
  return keep(session, plan);
}

const offeredOn = (
  node: NodeRecord,
  {
    state,
    options,
  }: { readonly state: SteppedState; readonly options: Pick<Session['options'], 'driverOf'> },
): readonly OfferedStep[] => options.driverOf(node).provisioning.steps[state] ?? [];

/** The plan with the agent's own steps, once the agent can be reached. Steps that are done stay in front. */
async function planWithAgent(
  session: StepSession,
  recorded: readonly PlannedStep[],
): Promise<readonly PlannedStep[]> {
  const { lock, state, options } = session;
  const kind = stepKindOf(state);
  const command = { name: `${kind}.get_${kind}_steps`, params: await machineFor(session) };
  const answer = await askAgent(session)(command);
  let found: ReturnType<typeof agentStepsIn>;
  try {
    found = agentStepsIn(answer, kind, options.now());
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new DriverFailure('malformed', 'the agent did not list its steps as it should', {
      cause: error,
    });
  }
  const pending = pendingOf(session);
  const steps = [...offeredOn(lock.node(), session), ...found.steps];
  const plan = planOf(lock.node(), state, pending.steps, { steps });
  const agent = { phase: 'here', isPlanned: true } as const;
  const written = withPendingProvision(lock.node(), { ...pending, agent }, options.now());
  const internal = { ...found.internal, pending_provision: written['pending_provision'] };
  return keep(session, replanned(recorded.slice(0, pending.stepsDone), plan), internal);
}

async function keep(
  session: StepSession,
  plan: readonly PlannedStep[],
  internal: Fields = {},
): Promise<readonly PlannedStep[]> {
  const { lock } = session;
  const kind = stepKindOf(session.state);
  await writeWithRetry(session, plannedFields(lock.node(), kind, { plan, internal }));
  const readBack = recordedPlan(lock.node(), kind);
  if (readBack?.length !== plan.length) throw new Error('the steps were not kept by the inventory');
  return readBack;
}
