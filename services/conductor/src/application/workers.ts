import { UnavailableError } from '@tenure/contracts';

/** `urgent`: power and abort, for which a few workers are kept back: what runs wild must be stoppable on a busy conductor. */
export type Urgency = 'ordinary' | 'urgent';

/** How much a conductor does at the same time, whatever kind of work it is. */
export interface Workers {
  /** Whether a worker is free. */
  readonly isFree: (urgency: Urgency) => boolean;
  /**
   * Takes a worker; `free` gives it back, once.
   * @throws UnavailableError with Ironic's message when none is free
   */
  readonly claim: (urgency: Urgency) => () => void;
  /** Takes one whether or not any is free: for work that was accepted before and must go on. */
  readonly acquireAnyway: () => () => void;
}

/** Share that is kept back for what is urgent, as Ironic's `reserved_workers_pool_percentage`. */
const RESERVED = 0.05;

/** @param maximum how many there are, those kept back among them */
export function createWorkers(maximum: number): Workers {
  const forOrdinary = maximum - Math.ceil(maximum * RESERVED);
  let busy = 0;
  const isFree = (urgency: Urgency): boolean =>
    busy < (urgency === 'urgent' ? maximum : forOrdinary);
  const acquireAnyway = (): (() => void) => {
    busy += 1;
    let isBusy = true;
    return () => {
      if (isBusy) busy -= 1;
      isBusy = false;
    };
  };
  return {
    isFree,
    acquireAnyway,
    claim: (urgency) => {
      if (!isFree(urgency)) throw noneFree();
      return acquireAnyway();
    },
  };
}

const noneFree = (): UnavailableError =>
  new UnavailableError(
    'Requested action cannot be performed due to lack of free conductor workers.',
  );
