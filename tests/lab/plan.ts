import { type StoreKind } from '../support/cluster/cluster.js';
import { type Random } from '../support/random.js';
import { type Part, parts } from '../support/tenure.js';

/** What a connection leads to. */
export type Callee = Part | 'mongo' | 'redis';

/** Something that goes wrong at a moment, for a while. */
export type Fault = { readonly atMs: number; readonly forMs: number } & (
  | { readonly kind: 'kill' | 'freeze' | 'restart'; readonly part: Part; readonly replica: number }
  /** Connections are broken, and new ones refused. */
  | { readonly kind: 'cut'; readonly from: Part; readonly to: Callee }
  /** Nothing passes; what was sent arrives late. */
  | { readonly kind: 'hold'; readonly from: Part; readonly to: Callee }
  | {
      readonly kind: 'slow';
      readonly from: Part;
      readonly to: Callee;
      readonly delayMs: number;
    }
  /** The store itself stops for a while: MongoDB is frozen, the embedded file is locked by another process. */
  | { readonly kind: 'store' }
  | { readonly kind: 'bmc'; readonly machine: number; readonly how: BmcFault }
);

const BMC_FAULTS = ['hang', 'busy', 'breaks', 'ignores'] as const;

/**
 * `hang`: gives no answers. `busy`: refuses the next command. `breaks`: carries commands out, and breaks the connection. `ignores`:
 * acknowledges commands, and does nothing.
 */
export type BmcFault = (typeof BMC_FAULTS)[number];

interface Lab {
  readonly store: StoreKind;
  readonly durationMs: number;
  readonly machines: number;
  /** Replicas of each part; the embedded store bears one inventory. */
  readonly replicas: number;
}

/** Who calls whom. */
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

/** What holds locks and what hands them out is disturbed more often than the rest. */
const VICTIMS: readonly Part[] = [...parts, 'conductor', 'conductor', 'inventory'];

type Moment = Pick<Fault, 'atMs' | 'forMs'>;

const podFault = (
  kind: 'kill' | 'freeze' | 'restart',
  random: Random,
  lab: Lab,
  { atMs }: Moment,
): Fault => {
  const part = random.pick(VICTIMS);
  const replicas = lab.store === 'sqlite' && part === 'inventory' ? 1 : lab.replicas;
  const replica = random.between(0, replicas - 1);
  // Some are longer than a conductor's heartbeats are good for.
  const forMs = random.pick([1000, 4000, 12_000]);
  return { kind, part, replica, atMs, forMs: kind === 'freeze' ? forMs : 0 };
};

const linkFault = (
  kind: 'cut' | 'hold' | 'slow',
  random: Random,
  lab: Lab,
  moment: Moment,
): Fault => {
  const calls = lab.store === 'mongodb' ? [...CALLS, ['inventory', 'mongo'] as const] : CALLS;
  const [from, to] = random.pick(calls);
  const delayMs = random.between(20, 800);
  return kind === 'slow'
    ? { kind, from, to, ...moment, forMs: moment.forMs * 2, delayMs }
    : { kind, from, to, ...moment };
};

const faultOf = (kind: Kind, random: Random, lab: Lab, atMs: number): Fault => {
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
};

/** Milliseconds between two faults: one begins while others last, now and then. */
const APART_MS = { from: 600, to: 3500 } as const;

/** The faults of a run, in their order. The same random numbers give the same faults. */
export const planOf = (random: Random, lab: Lab): readonly Fault[] => {
  const faults: Fault[] = [];
  for (let atMs = 1000; ; atMs += random.between(APART_MS.from, APART_MS.to)) {
    if (atMs >= lab.durationMs) return faults;
    faults.push(faultOf(random.pick(KINDS), random, lab, atMs));
  }
};

const placeOf = (fault: Fault): string => {
  switch (fault.kind) {
    case 'kill':
    case 'freeze':
    case 'restart':
      return `${fault.part}-${String(fault.replica)}`;
    case 'cut':
    case 'hold':
      return `${fault.from} to ${fault.to}`;
    case 'slow':
      return `${fault.from} to ${fault.to} by ${String(fault.delayMs)} ms`;
    case 'store':
      return '';
    case 'bmc':
      return `${String(fault.machine)} ${fault.how}`;
  }
};

/** A fault in a line, as `12.4 s freeze conductor-1 for 4.0 s`. */
export const describeFault = (fault: Fault): string =>
  [
    `${(fault.atMs / 1000).toFixed(1)} s`,
    fault.kind,
    placeOf(fault),
    ...(fault.forMs === 0 ? [] : [`for ${(fault.forMs / 1000).toFixed(1)} s`]),
  ]
    .filter((word) => word !== '')
    .join(' ');
