import { type Random } from '../support/random.js';
import { type Part, parts } from '../support/tenure.js';
import { BMC_FAULTS, type Callee, type Fault } from './fault.js';
import { surroundingFault } from './plan-surroundings.js';
import { type Lab, victimIn } from './victims.js';

/** The callers and callees of each link. */
const CALLS: readonly (readonly [from: Part, to: Callee])[] = [
  ...parts
    .filter((part) => part !== 'gateway')
    .map((part): readonly [Part, Callee] => ['gateway', part]),
  ['conductor', 'inventory'],
  ['allocation', 'inventory'],
  ['compute', 'inventory'],
  ['compute', 'allocation'],
  ['compute', 'conductor'],
  ['gateway', 'redis'],
];

const KINDS = [
  'kill',
  'kill',
  'kill',
  'freeze',
  'restart',
  'restart',
  'cut',
  'hold',
  'slow',
  'store',
  'bmc',
  'bmc',
] as const;

type Kind = (typeof KINDS)[number];

type Moment = Pick<Fault, 'atMs' | 'forMs'>;

type Make = (random: Random, atMs: number) => Fault;

/** One begins while others last, now and then. */
const APART_MS = { from: 600, to: 3500 } as const;
const SURROUNDINGS_APART_MS = { from: 3000, to: 12_000 } as const;

/**
 * The faults of a run, in their order. The same random numbers give the same faults. Those of disks, files and clocks are
 * drawn apart: where a machine cannot have them, the others stay as they are.
 */
export const planOf = (random: Random, lab: Lab): readonly Fault[] =>
  [
    ...series(random, lab, APART_MS, (numbers, atMs) =>
      faultOf(numbers.pick(KINDS), numbers, lab, atMs),
    ),
    ...series(random.fork('surroundings'), lab, SURROUNDINGS_APART_MS, (numbers, atMs) =>
      surroundingFault(numbers, lab, atMs),
    ),
  ].sort((a, b) => a.atMs - b.atMs);

/** Faults that begin so many milliseconds after one another. */
function series(
  random: Random,
  { durationMs }: Lab,
  apart: { readonly from: number; readonly to: number },
  make: Make,
): readonly Fault[] {
  const faults: Fault[] = [];
  for (let atMs = 1000; ; atMs += random.between(apart.from, apart.to)) {
    if (atMs >= durationMs) return faults;
    faults.push(make(random, atMs));
  }
}

function faultOf(kind: Kind, random: Random, lab: Lab, atMs: number): Fault {
  const moment = { atMs, forMs: random.between(500, 4000) };
  switch (kind) {
    case 'kill':
    case 'freeze':
    case 'restart':
      return podFault(kind, random, lab, moment);
    case 'cut':
    case 'hold':
    case 'slow':
      return linkFault(kind, random, lab, moment);
    case 'store':
      return { kind, ...moment };
    case 'bmc': {
      const how = random.pick(BMC_FAULTS);
      return { kind, machine: random.between(0, lab.machines - 1), how, ...moment };
    }
  }
}

function podFault(
  kind: 'kill' | 'freeze' | 'restart',
  random: Random,
  lab: Lab,
  { atMs }: Moment,
): Fault {
  const victim = victimIn(random, lab);
  // Some are longer than a conductor's heartbeats are good for.
  const forMs = random.pick([1000, 4000, 12_000]);
  return { kind, ...victim, atMs, forMs: kind === 'freeze' ? forMs : 0 };
}

function linkFault(kind: 'cut' | 'hold' | 'slow', random: Random, lab: Lab, moment: Moment): Fault {
  const calls = lab.store === 'mongodb' ? [...CALLS, ['inventory', 'mongo'] as const] : CALLS;
  const [from, to] = random.pick(calls);
  const delayMs = random.between(20, 800);
  return kind === 'slow'
    ? { kind, from, to, ...moment, forMs: moment.forMs * 2, delayMs }
    : { kind, from, to, ...moment };
}
