import { type StoreKind } from '../support/cluster/cluster.js';
import { type Random, randomFrom } from '../support/random.js';
import { eventually, sleep } from '../support/wait.js';
import { violations } from './checker.js';
import { clientsOf } from './clients/all.js';
import { disturb } from './disturb.js';
import { type Fault } from './fault.js';
import { finalState, handoversIn, nodesIn } from './final-state.js';
import { createHistory, type Entry } from './history.js';
import { planOf } from './plan.js';
import { isAtRest } from './rest.js';
import { openSession, type Operation } from './session.js';
import { MACHINES, REPLICAS, startWorld, type World } from './world.js';

export interface LabOptions {
  readonly seed: number;
  readonly store: StoreKind;
  readonly durationMs: number;
  /** The faults, instead of those of the seed. */
  readonly plan?: readonly Fault[];
}

export interface LabReport {
  readonly options: LabOptions;
  readonly plan: readonly Fault[];
  readonly entries: readonly Entry[];
  /** Faults that this machine cannot have: kind, and why. */
  readonly leftOut: Readonly<Record<string, string>>;
  /** The violations that were found. */
  readonly violations: readonly string[];
}

/** How long everything has to come to rest once nothing is disturbed any more. */
const REST_MS = 120_000;

/** The faults of a run. */
export const planFor = ({ seed, store, durationMs }: LabOptions): readonly Fault[] =>
  planOf(randomFrom(seed).fork('faults'), {
    store,
    durationMs,
    machines: MACHINES.powered,
    replicas: REPLICAS,
  });

/** One run: clients work while faults come and go; then everything has time to come to rest, and the history is checked. */
export async function runLab(options: LabOptions): Promise<LabReport> {
  const { seed, store, durationMs } = options;
  const plan = options.plan ?? planFor(options);
  const { entries, add } = createHistory();
  const random: Random = randomFrom(seed);
  const world = await startWorld(`lab-${store}-${String(seed)}`, store, add);
  try {
    const { lacks } = world.surroundings;
    const possible = plan.filter(({ kind }) => lacks[kind] === undefined);
    const disturbance = disturb(world, possible, add);
    let isOver = false;
    const running = clientsOf(world, (client) =>
      openSession({
        world,
        random: random.fork(client),
        add,
        client,
        isExcused: disturbance.isGatewayDisturbedSince,
        isClockWrong: disturbance.isClockWrongSince,
      }),
    ).map((operation) => repeat(operation, () => isOver));
    await Promise.all([sleep(durationMs), disturbance.over]);
    isOver = true;
    const notReady = await notReadyIn(world);
    await Promise.all(running);
    await untilAtRest(world);
    const end = await finalState(world, notReady);
    return {
      options,
      plan,
      entries,
      leftOut: lacks,
      violations: violations(entries, end),
    };
  } finally {
    await world.stop();
  }
}

/** Repeats the operation until the run is over; the last one is completed. */
async function repeat(operation: Operation, isOver: () => boolean): Promise<void> {
  while (!isOver()) await operation();
}

async function notReadyIn({ cluster }: World): Promise<readonly string[]> {
  const waited = await Promise.all(
    Object.entries(cluster.workloads).map(([part, workload]) =>
      workload.untilWhole().then(
        () => [],
        () => [part],
      ),
    ),
  );
  return waited.flat();
}

/** Waits until nothing is done any more; what does not come to rest is found by the checker. */
async function untilAtRest(world: World): Promise<void> {
  await eventually(
    async () => (await nodesIn(world)).every(isAtRest) && (await areOver(world)),
    (isOver) => isOver,
    { within: REST_MS, every: 1000, what: 'rest' },
  ).catch(() => undefined);
}

const areOver = async (world: World): Promise<boolean> =>
  (await handoversIn(world)).every(({ status }) => status !== 'open');
