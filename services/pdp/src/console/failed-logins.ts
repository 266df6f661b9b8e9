/** Counts failed logins of an address, and of everybody together, within a minute. */
export interface FailedLogins {
  /** Seconds until the next login may be tried; 0 when it may be tried now. */
  readonly waitFor: (address: string) => number;
  readonly failed: (address: string) => void;
}

const WINDOW_MS = 60_000;
const MAX_PER_ADDRESS = 10;
const MAX_ALTOGETHER = 100;
const MS_PER_SECOND = 1000;

/** @param now milliseconds, from any start */
export const createFailedLogins = (now: () => number): FailedLogins => {
  // Bounded: nothing is added once there are MAX_ALTOGETHER within the window.
  let failures: { readonly address: string; readonly at: number }[] = [];
  const recent = (): typeof failures =>
    (failures = failures.filter(({ at }) => now() - at < WINDOW_MS));
  const untilOld = (at: number): number =>
    Math.max(1, Math.ceil((at + WINDOW_MS - now()) / MS_PER_SECOND));
  return {
    waitFor: (address) => {
      const all = recent();
      const own = all.filter((failure) => failure.address === address);
      const last = own.length >= MAX_PER_ADDRESS ? own.at(-MAX_PER_ADDRESS) : undefined;
      const anybody = all.length >= MAX_ALTOGETHER ? all[0] : undefined;
      const barrier = last ?? anybody;
      return barrier === undefined ? 0 : untilOld(barrier.at);
    },
    failed: (address) => {
      if (recent().length < MAX_ALTOGETHER) failures.push({ address, at: now() });
    },
  };
};
