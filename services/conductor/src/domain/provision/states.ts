/** States in which a conductor works on a node, under its lock, and what each ends in when the work fails. */
const BUSY = {
  verifying: 'enroll',
  inspecting: 'inspect failed',
  cleaning: 'clean failed',
  deploying: 'deploy failed',
  deleting: 'error',
  adopting: 'adopt failed',
  rescuing: 'rescue failed',
  unrescuing: 'unrescue failed',
  servicing: 'service failed',
} as const;

export type BusyState = keyof typeof BUSY;

/** States in which a node waits for its agent, unlocked, and what each ends in when the agent does not come. */
const WAITING = {
  'wait call-back': 'deploy failed',
  'clean wait': 'clean failed',
  'inspect wait': 'inspect failed',
  'rescue wait': 'rescue failed',
  'service wait': 'service failed',
} as const;

const WAIT_OF = {
  cleaning: 'clean wait',
  deploying: 'wait call-back',
  rescuing: 'rescue wait',
  servicing: 'service wait',
} as const;

/** States whose work may go on with an agent. */
export type AgentState = keyof typeof WAIT_OF;

/** States in which a node waits for its agent. */
export type WaitState = keyof typeof WAITING;

/** States in which an agent may run on the machine: only then is it answered. */
export const AGENT_STATES: readonly string[] = [
  ...Object.keys(WAITING),
  'deploying',
  'cleaning',
  'inspecting',
  'rescuing',
  'servicing',
];

/** The state of a node on hold at a `hold` step, by the state that has the step. */
const HOLDS: Partial<Readonly<Record<BusyState, string>>> = {
  cleaning: 'clean hold',
  deploying: 'deploy hold',
  servicing: 'service hold',
};

export const isBusyState = (state: string): state is BusyState => Object.hasOwn(BUSY, state);

export const failedStateOf = (state: BusyState): string => BUSY[state];

/** The state of a node whose agent did not come; undefined for a node that waits for none. */
export const timedOutStateOf = (state: string): string | undefined =>
  new Map<string, string>(Object.entries(WAITING)).get(state);

/** The state of a node that waits for its agent to go on with this work. */
export const waitStateOf = (state: AgentState): string => WAIT_OF[state];

/** The work that a waiting node goes on with once its agent reports; undefined in any other state. */
export const busyStateOf = (state: string): AgentState | undefined =>
  (Object.keys(WAIT_OF) as AgentState[]) // the keys of the object above
    .find((busy) => WAIT_OF[busy] === state);

export const waitsForAgent = (state: string): state is WaitState => Object.hasOwn(WAITING, state);

export const expectsAgent = (state: string): boolean => AGENT_STATES.includes(state);

/** @throws Error when the state has no hold state: a step was accepted that should not have been */
export function holdStateOf(state: BusyState): string {
  const holdState = HOLDS[state];
  if (holdState === undefined) throw new Error(`no hold state for ${state}`);
  return holdState;
}
