import { isDeepStrictEqual } from 'node:util';
import { type Answer, askLatest } from '../http-client.js';
import { systemAdmin } from '../personas.js';
import { freePort, signal } from '../processes.js';
import { type Part, partPid, startTenure, type Tenure } from '../tenure.js';
import { eventually, sleep } from '../wait.js';
import { ConductorProcess } from './conductor-process.js';
import {
  CountingProxy,
  isPersisted,
  type Point,
  type Watch,
  type Write,
} from './counting-proxy.js';
import { type Ending, type Order, type NodeView, type Subject, subjectFor } from './orders.js';

/** A node with its order, its writes, and the time at which everything died. */
export interface Case {
  readonly subject: Subject;
  readonly watch: Watch;
  readonly point: Point | undefined;
  /** The status of the answer, or undefined when the connection broke. */
  readonly answer: Promise<number | undefined>;
}

/** An order, and the persisted step at which everything dies. */
export interface Attempt {
  readonly order: Order;
  readonly point: Point;
}

export type Node = Readonly<Record<string, unknown>>;

export interface CrashBench {
  readonly tenure: Tenure;
  readonly proxy: CountingProxy;
  readonly conductor: ConductorProcess;
  /** Puts nodes into the inventory and asks for their orders, all at once. */
  readonly begin: (
    attempts: readonly { readonly order: Order; readonly point?: Point }[],
  ) => Promise<readonly Case[]>;
  /** Waits until each case is stopped at its point; those that are not in time are left out. */
  readonly untilStopped: (cases: readonly Case[]) => Promise<readonly Case[]>;
  /** The nodes by uuid, once nobody holds or works on any of them. */
  readonly untilStable: (
    cases: readonly Case[],
    within?: number,
  ) => Promise<ReadonlyMap<string, Node>>;
  readonly stop: () => Promise<void>;
}

/** The longest wait of a stopped write: less than the time that the conductor waits for an answer. */
const HOLD_MS = 2000;
const IN_WORK = new Set([
  'verifying',
  'inspecting',
  'cleaning',
  'deploying',
  'deleting',
  'adopting',
  'rescuing',
  'unrescuing',
  'servicing',
]);

const AT_REST: NodeView = {
  reservation: null,
  target_power_state: null,
  target_provision_state: null,
  last_error: null,
};

/** Members of `driver_internal_info` that end with the work. */
const ENDS_WITH_WORK = [
  'pending_power',
  'pending_change',
  'pending_provision',
  'clean_steps',
  'deploy_steps',
  'service_steps',
];

/** A Tenure of its own, with a conductor behind a counting proxy. */
export async function openCrashBench(
  name: string,
  env: Readonly<Record<string, string>> = {},
): Promise<CrashBench> {
  const port = await freePort();
  const tenure = await startTenure(name, { ...settingsFor(port), ...env });
  const proxy = await CountingProxy.open(`http://127.0.0.1:${String(tenure.ports.inventory)}`);
  const conductor = new ConductorProcess(tenure, {
    hostname: `${name}-1`,
    port,
    inventoryUrl: proxy.url,
  });
  await conductor.start();
  const opened: Subject[] = [];
  return {
    tenure,
    proxy,
    conductor,
    begin: async (attempts) => {
      const subjects = await Promise.all(attempts.map(({ order }) => subjectFor(order)));
      opened.push(...subjects);
      await tenure.importDocument({
        nodes: subjects.map(({ node }) => node),
        ports: subjects.flatMap(({ ports }) => ports),
      });
      return subjects.map((subject, index) => {
        const watch = proxy.watch([subject.node.uuid, subject.vif]);
        const point = attempts[index]?.point;
        watch.arm(point);
        return { subject, watch, point, answer: askFor(tenure, subject) };
      });
    },
    untilStopped: async (cases) => {
      const began = performance.now();
      let first: number | undefined;
      for (;;) {
        const stopped = cases.filter(({ watch }) => watch.isPaused());
        if (stopped.length > 0) first ??= performance.now();
        const isOver = performance.now() - (first ?? began + 8000) > HOLD_MS;
        if (stopped.length === cases.length || isOver) return stopped;
        await sleep(5);
      }
    },
    untilStable: (cases, within = 40_000) =>
      eventually(
        () => nodesOf(tenure, cases),
        (nodes) => cases.every(({ subject }) => isStable(nodes.get(subject.node.uuid))),
        { within, what: 'stable nodes' },
      ),
    stop: async () => {
      await conductor.kill();
      await proxy.close();
      await tenure.stop();
      await Promise.all(opened.flatMap(({ bmc }) => (bmc === undefined ? [] : [bmc.close()])));
    },
  };
}

/** Kills a part that `tenure up` starts again. */
export async function killPart(tenure: Tenure, part: Part): Promise<void> {
  const pid = await partPid(tenure, part);
  signal(pid, 'SIGKILL');
  await partPid(tenure, part, pid);
}

export const persistedIn = (writes: readonly Write[]): number => writes.filter(isPersisted).length;

/** Returns the complaints about a node that came to rest. */
export async function complaintsAbout(
  tenure: Tenure,
  { subject }: Case,
  node: Node,
  ending: Ending,
): Promise<readonly string[]> {
  const { order } = subject;
  const wanted = { ...AT_REST, ...endingOf(order, ending) };
  const wrong = Object.entries(wanted).flatMap(([field, value]) =>
    shows(node[field], value) ? [] : [`${field} ${JSON.stringify(node[field])}`],
  );
  const internal = node['driver_internal_info'] as NodeView; // an object on every node
  const left = order.isWaiting === true ? [] : ENDS_WITH_WORK.filter((name) => name in internal);
  const more = (await order.check?.(tenure, subject, ending)) ?? [];
  return [...wrong, ...left.map((name) => `left ${name}`), ...more];
}

/**
 * Settings of a Tenure whose own conductor serves nothing, so that the test's conductors serve the whole fleet. The test
 * keeps many orders of one caller open at the same time, so admission must not limit them.
 */
const settingsFor = (port: number): Readonly<Record<string, string>> => ({
  GATEWAY_ADMISSION_MAX_MS: '1000000',
  GATEWAY_ADMISSION_TARGET_MS: '10000',
  CONDUCTOR_GROUP: 'nobody',
  CONDUCTOR_URL: `http://127.0.0.1:${String(port)}`,
});

async function askFor(tenure: Tenure, subject: Subject): Promise<number | undefined> {
  const { line, body } = subject.order.ask(subject);
  try {
    return (await askLatest(tenure, systemAdmin, line, body)).status;
  } catch {
    return undefined;
  }
}

async function nodesOf(tenure: Tenure, cases: readonly Case[]): Promise<Map<string, Node>> {
  const wanted = new Set(cases.map(({ subject }) => subject.node.uuid));
  const found = new Map<string, Node>();
  for (let marker = ''; ;) {
    const page = nodesIn(
      await askLatest(tenure, systemAdmin, `GET /v1/nodes/detail?limit=500${marker}`),
    );
    for (const node of page)
      if (wanted.has(String(node['uuid']))) found.set(String(node['uuid']), node);
    if (page.length < 500) return found;
    marker = `&marker=${String(page.at(-1)?.['uuid'])}`;
  }
}

const isStable = (node: Node | undefined): boolean =>
  node?.['reservation'] === null &&
  node['target_power_state'] === null &&
  !IN_WORK.has(String(node['provision_state']));

const nodesIn = ({ json }: Answer): readonly Node[] => (json as { nodes: readonly Node[] }).nodes;

const endingOf = ({ before, done }: Order, ending: Ending): NodeView => ({ before, done })[ending];

const shows = (value: unknown, wanted: unknown): boolean =>
  wanted instanceof RegExp
    ? typeof value === 'string' && wanted.test(value)
    : isDeepStrictEqual(value, wanted);
