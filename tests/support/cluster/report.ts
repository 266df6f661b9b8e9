import { sleep } from '../wait.js';

/** What the callers learnt of what they did. */
export interface Report {
  /** By node: members of `extra` whose writing was acknowledged. */
  readonly extra: Map<string, Set<string>>;
  /** Nodes that two allocations had at the same time, and the like. */
  readonly doubled: string[];
}

/** How often a caller looks whether what it ordered is done, before it goes on. */
export const LOOKS = 120;
const LOOK_MS = 200;

/** Of what is shown, what says whether an order is done. */
export interface Settled {
  readonly state?: string;
  readonly provision_state?: string;
  readonly node_uuid?: string | null;
  readonly reservation?: string | boolean | null;
  readonly target_power_state?: string | null;
  readonly power_state?: string | null;
}

/** Asks until what is shown satisfies; undefined when it does not in time, which only a disturbance excuses. */
export async function until<Shown>(
  look: () => Promise<Shown | undefined>,
  isGood: (shown: Shown) => boolean,
): Promise<Shown | undefined> {
  for (let n = 0; n < LOOKS; n += 1) {
    const shown = await look();
    if (shown !== undefined && isGood(shown)) return shown;
    await sleep(LOOK_MS);
  }
  return undefined;
}
