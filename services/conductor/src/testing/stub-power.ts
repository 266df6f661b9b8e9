import { type StubFaults } from './stub-faults.js';

type Power = 'On' | 'Off' | 'PoweringOff';

/** The power as the stub shows it, which need not be as it is. */
export class ReportedPower {
  #pretended: Power | undefined;
  #before: Power | undefined;
  #changedAt = -Infinity;
  #isOldNext = false;

  /** From now on the system is reported in this state, while `resetPretended` is set. */
  pretend(power: Power): void {
    this.#pretended = power;
  }

  /** @param before the state that the change ended */
  changed(before: Power): void {
    this.#before = before;
    this.#changedAt = performance.now();
    this.#isOldNext = false;
  }

  of(power: Power, { resetPretended, staleMs }: Readonly<StubFaults>): Power {
    if (!resetPretended) this.#pretended = undefined;
    if (this.#pretended !== undefined) return this.#pretended;
    if (performance.now() - this.#changedAt >= staleMs) return power;
    const isOld = this.#isOldNext;
    this.#isOldNext = !isOld;
    return isOld ? (this.#before ?? power) : power;
  }
}
