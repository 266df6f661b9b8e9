import { startStubBmc, type StubBmc } from '../../services/conductor/src/testing/stub-bmc.js';
import { type BareCluster, startBareCluster, type StoreKind } from '../support/cluster/cluster.js';
import { availableNode, type FleetNode } from '../support/fleet.js';
import { portOn } from '../support/node-parts.js';
import { type Part } from '../support/tenure.js';
import { type Callee } from './fault.js';
import { type AddEntry } from './history.js';
import { Link } from './link.js';
import { LockRecorder } from './recorder.js';
import { Surroundings } from './surroundings.js';

/** A machine with a BMC of its own, which counts the commands that it carries out. */
export interface Machine {
  readonly node: FleetNode;
  readonly bmc: StubBmc;
}

/** The parts, their stores and machines, and every way between them. */
export interface World {
  readonly cluster: BareCluster;
  readonly store: StoreKind;
  /** Switched on and off. */
  readonly powered: readonly Machine[];
  /** Handed from one tenant to the next. */
  readonly leased: readonly Machine[];
  /** Deployed and torn down; without hardware. */
  readonly deployed: readonly FleetNode[];
  /** Written to. */
  readonly written: readonly FleetNode[];
  /** Allocated; fewer than those that want one. */
  readonly pool: readonly FleetNode[];
  readonly surroundings: Surroundings;
  readonly link: (from: Part, to: Callee) => Link;
  readonly stop: () => Promise<void>;
}

export const OWNER = 'lab-owner';
export const POOL_CLASS = 'lab_pool';
export const MACHINES = { powered: 3, leased: 2, deployed: 2, written: 2, pool: 2 } as const;
export const REPLICAS = 2;

/** Milliseconds that a machine takes to switch on or off: the longest is longer than a heartbeat is good for. */
const TRANSITIONS_MS = [0, 1500, 10_000] as const;

const SETTINGS = {
  CONDUCTOR_BMC_ALLOW_LOOPBACK: 'true',
  // Nothing but orders and their recovery sends commands.
  CONDUCTOR_POWER_SYNC_SECONDS: '0',
} as const;

/** Starts all of it. */
export async function startWorld(name: string, store: StoreKind, add: AddEntry): Promise<World> {
  const links = new Map<string, Link>();
  const recorders: LockRecorder[] = [];
  const surroundings = new Surroundings();
  const cluster = await startBareCluster(name, store, {
    settings: SETTINGS,
    replicas: () => REPLICAS,
    prepare: (dataDir) => surroundings.prepare(dataDir, store),
    between: async (from, to, port) => {
      const link = await Link.open(port);
      links.set(`${from} ${to}`, link);
      if (from !== 'conductor' || to !== 'inventory') return link.port;
      const recorder = await LockRecorder.open(link.port, add);
      recorders.push(recorder);
      return recorder.port;
    },
  }).catch((error: unknown) => {
    surroundings.close();
    throw error;
  });
  const powered = await Promise.all(
    times(MACHINES.powered, (n) => machineOf(`powered-${String(n)}`, TRANSITIONS_MS[n])),
  );
  const leased = await Promise.all(times(MACHINES.leased, (n) => machineOf(`leased-${String(n)}`)));
  const machines = [...powered, ...leased];
  const world: World = {
    cluster,
    store,
    powered,
    leased,
    deployed: times(MACHINES.deployed, plain('deployed')),
    written: times(MACHINES.written, plain('written')),
    pool: times(MACHINES.pool, plain('pool', { resource_class: POOL_CLASS })),
    surroundings,
    link: (from, to) => {
      const found = links.get(`${from} ${to}`);
      if (found === undefined) throw new Error(`no link from ${from} to ${to}`);
      return found;
    },
    stop: async () => {
      await cluster.stop();
      surroundings.close();
      for (const one of [...links.values(), ...recorders]) one.close();
      await Promise.all(machines.map(({ bmc }) => bmc.close()));
    },
  };
  await cluster.importDocument({
    nodes: [
      ...machines.map(({ node }) => node),
      ...world.deployed,
      ...world.written,
      ...world.pool,
    ],
    ports: machines.map(({ node }) => portOn(node)),
  });
  return world;
}

const times = <T>(count: number, make: (n: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, n) => make(n));

async function machineOf(name: string, transitionMs = 0): Promise<Machine> {
  const bmc = await startStubBmc();
  bmc.faults.transitionMs = transitionMs;
  const node = availableNode(name, {
    owner: OWNER,
    resource_class: 'kept',
    driver: 'redfish',
    driver_info: bmc.driverInfo,
  });
  return { node, bmc };
}

/** Nodes without hardware. */
const plain =
  (what: string, fields: object = {}) =>
  (n: number): FleetNode =>
    availableNode(`${what}-${String(n)}`, { owner: OWNER, resource_class: 'kept', ...fields });
