import { noFaults, type StubFaults } from '../../../services/conductor/src/testing/stub-faults.js';
import { type BmcFault } from '../fault.js';
import { type World } from '../world.js';
import { nothing, type Undo } from './undo.js';

const MISBEHAVIOUR: Readonly<Record<BmcFault, Partial<StubFaults>>> = {
  hang: { hang: true },
  busy: { busy: 1 },
  breaks: { resetBreaks: true },
  ignores: { resetIgnored: true },
  pretends: { resetPretended: true },
  stale: { staleMs: 6000 },
  page: { page: true },
  powerless: { powerless: true },
  // A system is some 700 bytes.
  trickles: { trickleMs: 2 },
};

/** Makes the BMC of a powered machine misbehave. */
export function misbehave({ powered }: World, machine: number, how: BmcFault): Undo {
  const bmc = powered[machine]?.bmc;
  if (bmc === undefined) return nothing;
  Object.assign(bmc.faults, MISBEHAVIOUR[how]);
  return () => {
    Object.assign(bmc.faults, noFaults(), { transitionMs: bmc.faults.transitionMs });
  };
}
