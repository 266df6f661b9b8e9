import { type Deadline, isOver, remainingMs } from '../../deadline.js';
import { BmcCallFailure } from './bmc-error.js';

/**
 * Requests that one BMC is sent at the same time. A slow read must not keep a command waiting, and the chassis manager of
 * many blades must not do one thing after the other; but many BMCs answer no more connections than a handful, and some reset
 * themselves when they get more.
 */
export const CONCURRENT_PER_BMC = 4;

/** Requests that may wait for one BMC. More than these belong to a BMC that hangs: they fail at once, and free their workers. */
const WAITING_PER_BMC = 64;

/** Lets requests to one BMC through, a few at a time, in the order in which they come. */
export interface BmcGate {
  /**
   * Runs the task when it is its turn.
   * @throws BmcCallFailure (`timeout`, not sent) when the deadline comes first, or too many wait already
   */
  readonly pass: <T>(task: () => Promise<T>, deadline: Deadline) => Promise<T>;
}

interface GateLimits {
  readonly atOnce: number;
  readonly waiting: number;
}

const busy = (): BmcCallFailure =>
  new BmcCallFailure('timeout', 'the BMC was busy with other requests', { maybeSent: false });

class Gate implements BmcGate {
  readonly #limits: GateLimits;
  readonly #onIdle: () => void;
  /** In the order in which they came; each is told that it is its turn. */
  readonly #waiting = new Set<() => void>();
  #running = 0;

  constructor(limits: GateLimits, onIdle: () => void) {
    this.#limits = limits;
    this.#onIdle = onIdle;
  }

  async pass<T>(task: () => Promise<T>, deadline: Deadline): Promise<T> {
    if (this.#running >= this.#limits.atOnce) await this.#turn(deadline);
    else this.#running += 1;
    try {
      return await task();
    } finally {
      this.#leave();
    }
  }

  /** Whoever leaves hands its place on, so that nobody who comes at this moment is quicker than the first in the row. */
  #leave(): void {
    const [next] = this.#waiting;
    if (next !== undefined) next();
    else {
      this.#running -= 1;
      if (this.#running === 0) this.#onIdle();
    }
  }

  async #turn(deadline: Deadline): Promise<void> {
    if (isOver(deadline) || this.#waiting.size >= this.#limits.waiting) throw busy();
    await new Promise<void>((resolve, reject) => {
      const end = (settle: () => void) => (): void => {
        clearTimeout(timer);
        deadline.signal.removeEventListener('abort', giveUp);
        this.#waiting.delete(turn);
        settle();
      };
      const turn = end(resolve);
      const giveUp = end(() => {
        reject(busy());
      });
      const timer = setTimeout(giveUp, remainingMs(deadline)).unref();
      deadline.signal.addEventListener('abort', giveUp);
      this.#waiting.add(turn);
    });
  }
}

/**
 * One gate for each address, whichever nodes and accounts ask there: the blades of a chassis share the BMC of the chassis.
 * A gate that nobody uses is forgotten.
 */
export const createBmcGates = (
  limits: GateLimits = { atOnce: CONCURRENT_PER_BMC, waiting: WAITING_PER_BMC },
): ((origin: string) => BmcGate) => {
  const gates = new Map<string, Gate>();
  const gateOf = (origin: string): Gate => {
    const known = gates.get(origin);
    if (known !== undefined) return known;
    const gate = new Gate(limits, () => gates.delete(origin));
    gates.set(origin, gate);
    return gate;
  };
  // Looked up anew each time: the gate of a while ago may have been forgotten, and another stands there now.
  return (origin) => ({ pass: (task, deadline) => gateOf(origin).pass(task, deadline) });
};
