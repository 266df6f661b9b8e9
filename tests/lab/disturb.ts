import { sleep } from '../support/wait.js';
import { describeFault, type Fault } from './fault.js';
import { misbehave } from './faults/bmc.js';
import { stepClock } from './faults/clock.js';
import { tear } from './faults/damage.js';
import { spoilDisk } from './faults/disk.js';
import { disturbLink } from './faults/links.js';
import { freeze, podOf, send } from './faults/pods.js';
import { stopStore } from './faults/store.js';
import { type Undo } from './faults/undo.js';
import { type AddEntry } from './history.js';
import { type World } from './world.js';

const BEGIN: {
  readonly [K in Fault['kind']]: (
    world: World,
    fault: Extract<Fault, { readonly kind: K }>,
  ) => Undo | Promise<Undo>;
} = {
  kill: (world, fault) => send(podOf(world, fault), 'SIGKILL'),
  restart: (world, fault) => send(podOf(world, fault), 'SIGTERM'),
  freeze: (world, fault) => freeze(podOf(world, fault)),
  cut: disturbLink,
  hold: disturbLink,
  slow: disturbLink,
  store: stopStore,
  bmc: (world, { machine, how }) => misbehave(world, machine, how),
  disk: spoilDisk,
  damage: tear,
  clock: stepClock,
};

/** Faults of a gateway, after which its clients wait for as long as they like. */
const AFTER_MS = 20_000;
/** Until a clock that is right again is seen, and what was answered by the wrong one has arrived. */
const CLOCK_AFTER_MS = 5000;

export interface Disturbance {
  /** Resolves when all faults are over. */
  readonly over: Promise<void>;
  /** Whether a gateway was disturbed since a moment (`performance.now`). */
  readonly isGatewayDisturbedSince: (since: number) => boolean;
  /** Whether a gateway's clock was wrong since a moment (`performance.now`). */
  readonly isClockWrongSince: (since: number) => boolean;
}

/** Carries out a plan. */
export function disturb(world: World, plan: readonly Fault[], add: AddEntry): Disturbance {
  const began = performance.now();
  let excusedUntil = -Infinity;
  let clockWrongUntil = -Infinity;
  const excuse = (fault: Fault): void => {
    const end = performance.now() + fault.forMs;
    if (isGatewayDown(fault)) excusedUntil = Math.max(excusedUntil, end + AFTER_MS);
    if (fault.kind === 'clock' && fault.part === 'gateway')
      clockWrongUntil = Math.max(clockWrongUntil, end + CLOCK_AFTER_MS);
  };
  const one = async (fault: Fault): Promise<void> => {
    await sleep(Math.max(0, fault.atMs - (performance.now() - began)));
    add({ kind: 'fault', what: describeFault(fault) });
    excuse(fault);
    const begin = BEGIN[fault.kind] as (world: World, fault: Fault) => Undo | Promise<Undo>; // of its kind
    const undo = await begin(world, fault);
    await sleep(fault.forMs);
    await undo();
  };
  return {
    over: Promise.all(plan.map(one)).then(() => undefined),
    isGatewayDisturbedSince: (since) => since < excusedUntil,
    isClockWrongSince: (since) => since < clockWrongUntil,
  };
}

const isGatewayDown = (fault: Fault): boolean =>
  'part' in fault && fault.part === 'gateway' && fault.kind !== 'clock';
