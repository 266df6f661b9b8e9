import { sleep } from '../wait.js';

/** The findings of the callers about their own operations. */
export interface Report {
  /** By node: members of `extra` whose writing was acknowledged. */
  readonly extra: Map<string, Set<string>>;
  /** Nodes that two allocations had at the same time, and the like. */
  readonly doubled: string[];
}

/** How often a caller looks whether what it ordered is done, before it goes on. */
export const LOOKS = 120;
const LOOK_MS = 200;

/** The fields that say whether an order is done. */
export interface Progress {
  readonly state?: string;
  readonly provision_state?: string;
  readonly node_uuid?: string | null;
  readonly reservation?: string | boolean | null;
  readonly target_power_state?: string | null;
  readonly power_state?: string | null;
}

/** Polls until the view satisfies the predicate; undefined after the time-out, which only a disturbance excuses. */
export async function until<View>(
  look: () => Promise<View | undefined>,
  isGood: (view: View) => boolean,
): Promise<View | undefined> {
  for (let n = 0; n < LOOKS; n += 1) {
    const view = await look();
    if (view !== undefined && isGood(view)) return view;
    await sleep(LOOK_MS);
  }
  return undefined;
}
