import { setImmediate as tick } from 'node:timers/promises';
import { DriverFailure } from '../domain/driver-failure.js';
import { type PowerState } from '../domain/power.js';
import { type HardwareDriver } from '../ports/hardware-driver.js';

/** Iterations of the event loop after which a hanging BMC counts as late: a clock is not needed. */
const LATE_TICKS = 20;

/** Simulated BMCs, by the uuids of their nodes. They answer in the next iteration of the event loop, or hang. */
export class PowerFleet {
  readonly hanging = new Set<string>();
  /** Machines that are not switched off. */
  readonly on = new Set<string>();
  /** How often each was queried. */
  readonly queries = new Map<string, number>();
  /** How often it answered. */
  readonly answered = new Map<string, number>();
  mostRunning = 0;
  #running = 0;

  /** The driver, but of this hardware. */
  readonly wrap = (driver: HardwareDriver): HardwareDriver => ({
    ...driver,
    getPowerState: ({ uuid }) => this.#read(uuid),
    setPowerState: async ({ uuid }, { goal }) => {
      await tick();
      if (goal === 'power on') this.on.add(uuid);
      else this.on.delete(uuid);
      return goal;
    },
  });

  forget(): void {
    this.queries.clear();
    this.answered.clear();
    this.mostRunning = 0;
  }

  async #read(uuid: string): Promise<PowerState> {
    this.#running += 1;
    this.mostRunning = Math.max(this.mostRunning, this.#running);
    this.queries.set(uuid, (this.queries.get(uuid) ?? 0) + 1);
    try {
      for (let ticks = 0; ticks < LATE_TICKS && this.hanging.has(uuid); ticks += 1) await tick();
      if (this.hanging.has(uuid)) throw new DriverFailure('timeout', 'no answer from the BMC');
      await tick();
      this.answered.set(uuid, (this.answered.get(uuid) ?? 0) + 1);
      return this.on.has(uuid) ? 'power on' : 'power off';
    } finally {
      this.#running -= 1;
    }
  }
}
