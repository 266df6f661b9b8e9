import { type StoreKind } from '../support/cluster/cluster.js';
import { type Random } from '../support/random.js';
import { type Part, parts } from '../support/tenure.js';
import { type Replica } from './fault.js';

/** The setup that a plan is made for. */
export interface Lab {
  readonly store: StoreKind;
  readonly durationMs: number;
  readonly machines: number;
  /** Replicas of each part; the embedded store allows one inventory. */
  readonly replicas: number;
}

/** The conductors and the inventory, which own and grant locks, are disturbed more often than the rest. */
const VICTIMS: readonly Part[] = [...parts, 'conductor', 'conductor', 'inventory'];

/** A replica of a part, chosen at random. */
export const replicaOf = (part: Part, random: Random, { store, replicas }: Lab): Replica => ({
  part,
  replica: random.between(0, (store === 'sqlite' && part === 'inventory' ? 1 : replicas) - 1),
});

/** A replica of any part, chosen at random. */
export const victimIn = (random: Random, lab: Lab): Replica =>
  replicaOf(random.pick(VICTIMS), random, lab);
