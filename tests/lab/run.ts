import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { type StoreKind } from '../support/cluster/cluster.js';
import { askLatest } from '../support/http-client.js';
import { root } from '../support/paths.js';
import { systemAdmin } from '../support/personas.js';
import { type Random, randomFrom } from '../support/random.js';
import { type Tenure } from '../support/tenure.js';
import { eventually, sleep } from '../support/wait.js';
import { violations } from './checker.js';
import { clientsOf } from './clients/all.js';
import { disturb } from './disturb.js';
import { createHistory, type Entry, type FinalState } from './history.js';
import { type Fault, planOf } from './plan.js';
import { isAtRest } from './rest.js';
import { openSession, type Turn } from './session.js';
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
  /** What must never happen, and did. */
  readonly violations: readonly string[];
}

/** The faults of a run. */
export const planFor = ({ seed, store, durationMs }: LabOptions): readonly Fault[] =>
  planOf(randomFrom(seed).fork('faults'), {
    store,
    durationMs,
    machines: MACHINES.powered,
    replicas: REPLICAS,
  });

type Shown = Readonly<Record<string, unknown>>;

const listOf = async (tenure: Tenure, line: string, member: string): Promise<readonly Shown[]> => {
  const { json } = await eventually(
    () => askLatest(tenure, systemAdmin, line),
    ({ status }) => status === 200,
    { within: 30_000, every: 500, what: line },
  );
  return (json as Readonly<Record<string, readonly Shown[]>>)[member] ?? [];
};

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** What the check of each replica's decision log finds wrong; null when nothing is. */
const decisionLogFaults = async ({ cluster }: World): Promise<string | null> => {
  const { dataDir, workloads } = cluster;
  const cli = path.join(root, 'cli', 'bin', 'tenure.js');
  const found = await Promise.all(
    workloads.pdp.pods.map(({ name }) =>
      promisify(execFile)(process.execPath, [
        cli,
        ...['decisions', 'verify', '--data-dir', path.join(dataDir, name)],
      ]).then(
        () => [],
        (error: unknown) => [String(error)],
      ),
    ),
  );
  return found.flat().join('; ') || null;
};

interface NodeListed extends Shown {
  readonly reservation: unknown;
  readonly target_power_state: unknown;
  readonly provision_state: unknown;
}

const nodesIn = async ({ cluster }: World): Promise<readonly NodeListed[]> =>
  (await listOf(cluster, 'GET /v1/nodes/detail', 'nodes')) as readonly NodeListed[]; // Ironic's members

const handoversIn = async ({ cluster, leased }: World): Promise<readonly Shown[]> =>
  (
    await Promise.all(
      leased.map(({ node }) =>
        listOf(cluster, `GET /v1/nodes/${node.uuid}/handovers`, 'handovers'),
      ),
    )
  ).flat();

const finalState = async (world: World, notReady: readonly string[]): Promise<FinalState> => {
  const { cluster } = world;
  const nodes = await nodesIn(world);
  return {
    nodes: nodes.map((node) => ({
      uuid: String(node['uuid']),
      reservation: text(node.reservation),
      provisionState: String(node.provision_state),
      targetPowerState: text(node.target_power_state),
      extra: (node['extra'] ?? {}) as Shown,
      allocation: text(node['allocation_uuid']),
    })),
    allocations: (await listOf(cluster, 'GET /v1/allocations', 'allocations')).map((one) => ({
      uuid: String(one['uuid']),
      state: String(one['state']),
    })),
    handovers: (await handoversIn(world)).map((one) => ({
      uuid: String(one['uuid']),
      status: String(one['status']),
    })),
    decisionLog: await decisionLogFaults(world),
    notReady,
  };
};

/** How long everything has to come to rest once nothing is disturbed any more. */
const REST_MS = 120_000;

const areOver = async (world: World): Promise<boolean> =>
  (await handoversIn(world)).every(({ status }) => status !== 'open');

/** Waits until nothing is done any more; what does not come to rest is found by the checker. */
const untilAtRest = async (world: World): Promise<void> => {
  await eventually(
    async () => (await nodesIn(world)).every(isAtRest) && (await areOver(world)),
    (isOver) => isOver,
    { within: REST_MS, every: 1000, what: 'rest' },
  ).catch(() => undefined);
};

const notReadyIn = async ({ cluster }: World): Promise<readonly string[]> => {
  const waited = await Promise.all(
    Object.entries(cluster.workloads).map(([part, workload]) =>
      workload.untilWhole().then(
        () => [],
        () => [part],
      ),
    ),
  );
  return waited.flat();
};

/** Takes turns until the run is over; the last turn is completed. */
const repeat = async (turn: Turn, isOver: () => boolean): Promise<void> => {
  while (!isOver()) await turn();
};

/** One run: clients work while faults come and go; then everything has time to come to rest, and the history is checked. */
export const runLab = async (options: LabOptions): Promise<LabReport> => {
  const { seed, store, durationMs } = options;
  const plan = options.plan ?? planFor(options);
  const { entries, add } = createHistory();
  const random: Random = randomFrom(seed);
  const world = await startWorld(`lab-${store}-${String(seed)}`, store, add);
  try {
    const disturbance = disturb(world, plan, add);
    let isOver = false;
    const running = clientsOf(world, (client) =>
      openSession({
        world,
        random: random.fork(client),
        add,
        client,
        isExcused: disturbance.isGatewayDisturbedSince,
      }),
    ).map((turn) => repeat(turn, () => isOver));
    await Promise.all([sleep(durationMs), disturbance.over]);
    isOver = true;
    const notReady = await notReadyIn(world);
    await Promise.all(running);
    await untilAtRest(world);
    const end = await finalState(world, notReady);
    return { options, plan, entries, violations: violations(entries, end) };
  } finally {
    await world.stop();
  }
};
