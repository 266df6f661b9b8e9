import { type Part } from '../support/tenure.js';

/** The target of a connection. */
export type Callee = Part | 'mongo' | 'redis';

/** One of the processes of a part. */
export interface Replica {
  readonly part: Part;
  readonly replica: number;
}

interface Way {
  readonly from: Part;
  readonly to: Callee;
}

export const BMC_FAULTS = [
  'hang',
  'busy',
  'breaks',
  'ignores',
  'pretends',
  'stale',
  'page',
  'powerless',
  'trickles',
] as const;

/**
 * `hang`: gives no answers. `busy`: refuses the next command. `breaks`: carries commands out, and breaks the connection. `ignores`:
 * acknowledges commands, and does nothing. `pretends`: the same, and shows the state that was commanded. `stale`: shows the old
 * state in every other answer after a change. `page`: answers 200 with HTML. `powerless`: leaves the power out of its answers.
 * `trickles`: answers byte by byte.
 */
export type BmcFault = (typeof BMC_FAULTS)[number];

/** `full`: nothing can be added. `read-only`: the replica is killed, and its disk is read-only when it starts again. */
type DiskFault = 'full' | 'read-only';

/** The file that is torn while its writer is killed: the last line of the decision log, or the end of the embedded store's log. */
export type TornFile = 'decisions' | 'store-log';

/** Something that goes wrong at a moment, for a while. */
export type Fault = { readonly atMs: number; readonly forMs: number } & (
  | ({ readonly kind: 'kill' | 'freeze' | 'restart' } & Replica)
  /** Connections are broken, and new ones refused. */
  | ({ readonly kind: 'cut' } & Way)
  /** Nothing passes; what was sent arrives late. */
  | ({ readonly kind: 'hold' } & Way)
  | ({ readonly kind: 'slow'; readonly delayMs: number } & Way)
  /** The store itself stops for a while: MongoDB is frozen, the embedded file is locked by another process. */
  | { readonly kind: 'store' }
  | { readonly kind: 'bmc'; readonly machine: number; readonly how: BmcFault }
  | ({ readonly kind: 'disk'; readonly how: DiskFault } & Replica)
  | ({ readonly kind: 'damage'; readonly what: TornFile } & Replica)
  /** The wall clock of one replica is wrong by so many seconds; its monotonic clock is right. */
  | ({ readonly kind: 'clock'; readonly seconds: number } & Replica)
);

const nameOf = ({ part, replica }: Replica): string => `${part}-${String(replica)}`;
const signed = (number: number): string => `${number > 0 ? '+' : ''}${String(number)}`;

type Of<K extends Fault['kind']> = Extract<Fault, { readonly kind: K }>;

const wayOf = ({ from, to }: Way): string => `${from} to ${to}`;

const PLACES: { readonly [K in Fault['kind']]: (fault: Of<K>) => string } = {
  kill: nameOf,
  freeze: nameOf,
  restart: nameOf,
  cut: wayOf,
  hold: wayOf,
  slow: (fault) => `${wayOf(fault)} by ${String(fault.delayMs)} ms`,
  store: () => '',
  bmc: ({ machine, how }) => `${String(machine)} ${how}`,
  disk: (fault) => `of ${nameOf(fault)} ${fault.how}`,
  damage: (fault) => `to ${fault.what} of ${nameOf(fault)}`,
  clock: (fault) => `of ${nameOf(fault)} by ${signed(fault.seconds)} s`,
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

const placeOf = (fault: Fault): string => (PLACES[fault.kind] as (fault: Fault) => string)(fault); // of its kind
