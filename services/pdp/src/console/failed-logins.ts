import { type FailureCounter } from '@tenure/shared-state';

/** Counts failed logins of an address, and of everybody together, within a minute. */
export interface FailedLogins {
  /** Seconds until the next login may be tried; 0 when it may be tried now. */
  readonly waitFor: (address: string) => Promise<number>;
  readonly failed: (address: string) => Promise<void>;
}

const WINDOW_MS = 60_000;
const MAX_PER_ADDRESS = 10;
const MAX_ALTOGETHER = 100;
const MS_PER_SECOND = 1000;

/** The name of the shared counter for all addresses together. */
const ALTOGETHER = 'console';

interface Local {
  readonly waitFor: (address: string) => number;
  readonly failed: (address: string) => void;
}

/**
 * @param now milliseconds, from any start
 * @param shared counter of all replicas, used while it is reachable; each replica also counts by itself
 */
export function createFailedLogins(now: () => number, shared?: FailureCounter): FailedLogins {
  const local = createLocal(now);

  const waitEverywhere = async (counter: FailureCounter, address: string): Promise<number> => {
    const counts = [counter.count(nameOf(address)), counter.count(ALTOGETHER)] as const;
    const [own = 0, all = 0] = (await Promise.allSettled(counts)).map((count) =>
      count.status === 'fulfilled' ? count.value : 0,
    );
    return own >= MAX_PER_ADDRESS || all >= MAX_ALTOGETHER ? WINDOW_MS / MS_PER_SECOND : 0;
  };

  return {
    waitFor: async (address) => {
      const here = local.waitFor(address);
      return here > 0 || shared === undefined ? here : waitEverywhere(shared, address);
    },
    failed: async (address) => {
      local.failed(address);
      if (shared !== undefined)
        await Promise.allSettled([shared.add(nameOf(address)), shared.add(ALTOGETHER)]);
    },
  };
}

function createLocal(now: () => number): Local {
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
}

const nameOf = (address: string): string => `console ${address}`;
