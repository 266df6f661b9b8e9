import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type StubFaults } from '../../services/conductor/src/testing/stub-faults.js';
import { type Pod } from '../support/cluster/pod.js';
import { type Part } from '../support/tenure.js';
import { sleep } from '../support/wait.js';
import { type AddEntry } from './history.js';
import { type BmcFault, describeFault, type Fault } from './plan.js';
import { type World } from './world.js';

/** Ends what a fault began. */
type Undo = () => void;

const nothing: Undo = () => undefined;

const podOf = (
  { cluster }: World,
  { part, replica }: { readonly part: Part; readonly replica: number },
): Pod | undefined => cluster.workloads[part].pods[replica];

/** Another connection that locks the whole file, as a backup tool might. Nothing happens when the file is locked already. */
const lockFile = ({ cluster }: World): Undo => {
  const other = new DatabaseSync(path.join(cluster.dataDir, 'inventory.sqlite'), { timeout: 100 });
  try {
    other.exec('BEGIN EXCLUSIVE');
  } catch {
    other.close();
    return nothing;
  }
  return () => {
    other.exec('ROLLBACK');
    other.close();
  };
};

const stopStore = (world: World): Undo => {
  const { mongo } = world.cluster;
  if (mongo === undefined) return lockFile(world);
  mongo.freeze();
  return () => {
    mongo.thaw();
  };
};

const MISBEHAVIOUR: Readonly<Record<BmcFault, Partial<StubFaults>>> = {
  hang: { hang: true },
  busy: { busy: 1 },
  breaks: { resetBreaks: true },
  ignores: { resetIgnored: true },
};

const misbehave = ({ powered }: World, machine: number, how: BmcFault): Undo => {
  const bmc = powered[machine]?.bmc;
  if (bmc === undefined) return nothing;
  Object.assign(bmc.faults, MISBEHAVIOUR[how]);
  return () => {
    Object.assign(bmc.faults, { hang: false, busy: 0, resetBreaks: false, resetIgnored: false });
  };
};

const disturbLink = (world: World, fault: Extract<Fault, { readonly from: Part }>): Undo => {
  const link = world.link(fault.from, fault.to);
  const states = {
    cut: { kind: 'cut' },
    hold: { kind: 'held' },
    slow: { kind: 'slow', delayMs: 'delayMs' in fault ? fault.delayMs : 0 },
  } as const;
  link.set(states[fault.kind]);
  return () => {
    link.set({ kind: 'open' });
  };
};

const freeze = (pod: Pod | undefined): Undo => {
  pod?.signal('SIGSTOP');
  return () => pod?.signal('SIGCONT');
};

const send = (pod: Pod | undefined, signal: NodeJS.Signals): Undo => {
  pod?.signal(signal);
  return nothing;
};

const BEGIN: {
  readonly [K in Fault['kind']]: (
    world: World,
    fault: Extract<Fault, { readonly kind: K }>,
  ) => Undo;
} = {
  kill: (world, fault) => send(podOf(world, fault), 'SIGKILL'),
  restart: (world, fault) => send(podOf(world, fault), 'SIGTERM'),
  freeze: (world, fault) => freeze(podOf(world, fault)),
  cut: disturbLink,
  hold: disturbLink,
  slow: disturbLink,
  store: stopStore,
  bmc: (world, { machine, how }) => misbehave(world, machine, how),
};

/** Faults of a gateway, after which its clients wait for as long as they like. */
const AFTER_MS = 20_000;

export interface Disturbance {
  /** Settles when all faults are over. */
  readonly over: Promise<void>;
  /** Whether a gateway was disturbed since a moment (`performance.now`). */
  readonly isGatewayDisturbedSince: (since: number) => boolean;
}

/** Carries out a plan. */
export const disturb = (world: World, plan: readonly Fault[], add: AddEntry): Disturbance => {
  const began = performance.now();
  let excusedUntil = -Infinity;
  const one = async (fault: Fault): Promise<void> => {
    await sleep(Math.max(0, fault.atMs - (performance.now() - began)));
    add({ kind: 'fault', what: describeFault(fault) });
    if ('part' in fault && fault.part === 'gateway')
      excusedUntil = Math.max(excusedUntil, performance.now() + fault.forMs + AFTER_MS);
    const undo = (BEGIN[fault.kind] as (world: World, fault: Fault) => Undo)(world, fault); // of its kind
    await sleep(fault.forMs);
    undo();
  };
  return {
    over: Promise.all(plan.map(one)).then(() => undefined),
    isGatewayDisturbedSince: (since) => since < excusedUntil,
  };
};
