import { type Random } from '../support/random.js';
import { type Part } from '../support/tenure.js';
import { type TornFile, type Fault } from './fault.js';
import { type Lab, replicaOf, victimIn } from './victims.js';

/** Kinds of faults of what surrounds the processes. */
const KINDS = ['disk', 'disk', 'damage', 'clock', 'clock'] as const;

const TORN: Readonly<Partial<Record<Part, TornFile>>> = {
  inventory: 'store-log',
  pdp: 'decisions',
};

/**
 * Within the validity of a context between two parts (10 s) and beyond it, longer than an order may take (30 min), and
 * longer than a token of the lab is valid (a day).
 */
const STEPS_SECONDS = [-86_400, -1860, -5, 5, 1860, 86_400] as const;

/** A fault of a disk, a file or a clock. */
export function surroundingFault(random: Random, lab: Lab, atMs: number): Fault {
  const kind = random.pick(KINDS);
  const part = random.pick(statefulParts(lab));
  const replica = replicaOf(part, random, lab);
  const forMs = random.between(1000, 8000);
  switch (kind) {
    case 'disk':
      return { kind, ...replica, how: random.pick(['full', 'read-only']), atMs, forMs };
    case 'damage':
      return { kind, ...replica, what: TORN[part] ?? 'decisions', atMs, forMs: 0 };
    case 'clock':
      return { kind, ...victimIn(random, lab), seconds: random.pick(STEPS_SECONDS), atMs, forMs };
  }
}

/** Parts that keep files of their own. */
const statefulParts = ({ store }: Lab): readonly Part[] =>
  store === 'sqlite' ? ['inventory', 'inventory', 'pdp'] : ['pdp'];
