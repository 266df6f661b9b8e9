import { createLane, type Lane, type Line, type Estimate, type Waiting } from './lane.js';

/** In order of priority: requests that machines and operators wait for, requests for single objects, lists. */
export const CLASSES = ['urgent', 'single', 'list'] as const;
export type RequestClass = (typeof CLASSES)[number];

/** A request for admission. */
interface Ticket extends Estimate {
  readonly requestClass: RequestClass;
  /** Requests of one tenant are queued behind each other: a project, or the substitute for callers without one. */
  readonly tenant: string;
}

/** A slot of a request in flight. */
export interface Slot {
  /** Whether other requests had to queue while this one was in flight. */
  readonly wasFull: () => boolean;
  /** Releases the slot, once. @param cost actual cost: the start time of the tenant's next request moves by the difference to the estimate */
  readonly leave: (cost: number) => void;
}

/** Reason of a refusal: this tenant has too many requests queued, or all tenants together have. */
export type Refusal = 'overload' | 'project_limit';

/** The queue of requests to one service. */
export interface FairQueue {
  /** @returns a slot now or later, or the reason of a refusal */
  readonly enter: (ticket: Ticket) => Slot | Promise<Slot | Refusal> | Refusal;
  /** Queued requests, by class. */
  readonly waiting: () => Readonly<Record<RequestClass, number>>;
  /** Expected load of the requests in flight, in milliseconds. */
  readonly inFlight: () => number;
}

export interface FairQueueOptions {
  /** Maximum expected load in flight, in milliseconds. */
  readonly limit: () => number;
  /**
   * Maximum expected load of single requests of one tenant in flight, in milliseconds. Another tenant's request may have to
   * wait behind that much work at the service.
   */
  readonly maxOwnLoad: number;
  /** Maximum of queued requests of one tenant in one class. */
  readonly maxOwn: number;
  /** Maximum of queued requests in one class. */
  readonly maxWaiting: number;
  /** Maximum time in the queue, in milliseconds. */
  readonly maxWaitMs: number;
}

type Answer = Slot | Refusal;
type Lanes = Readonly<Record<RequestClass, Lane<Answer>>>;

/** The fraction of the limit that each class may fill, so that capacity for the higher classes stays free. */
const SHARE: Readonly<Record<RequestClass, number>> = { urgent: 1, single: 0.85, list: 0.5 };

/** Milliseconds after which a request in flight counts as stuck: its service, or a BMC behind it, does not respond. */
const STUCK_MS = 1000;
/** Maximum of stuck requests of one class that do not count against the limit. */
const MAX_STUCK = 512;

/**
 * Admits requests to one service by class and, within each class, by tenant and cost. A tenant with many requests waits for
 * its own requests; other tenants do not. The queue is bounded in length and time. A replica or a BMC that hangs takes slots
 * from other requests for a second at most.
 */
export function createFairQueue(options: FairQueueOptions): FairQueue {
  const { limit, maxOwn, maxOwnLoad, maxWaiting, maxWaitMs } = options;
  const lanes = createLanes(maxOwnLoad);
  let blocked = 0;

  const admit = (requestClass: RequestClass, line: Line<Answer>, estimate: Estimate): Slot => {
    const lane = lanes[requestClass];
    const blockedBefore = blocked;
    const end = enterLane(lane, line, estimate, () => {
      letThrough();
    });
    return {
      wasFull: () =>
        blocked > blockedBefore ||
        (lane.counts().waiting > 0 && !fits(lanes, requestClass, limit())),
      leave: end,
    };
  };

  const letThrough = (): void => {
    for (const requestClass of CLASSES) {
      const lane = lanes[requestClass];
      while (lane.counts().waiting > 0 && fits(lanes, requestClass, limit())) {
        const next = lane.shift();
        if (next === undefined) break;
        const [line, waiting] = next;
        waiting.answer(admit(requestClass, line, waiting));
      }
    }
  };

  return {
    enter: ({ requestClass, tenant, cost, load }) => {
      const lane = lanes[requestClass];
      const line = lane.lineOf(tenant);
      const estimate = { cost, load };
      const hasCapacity = fits(lanes, requestClass, limit());
      const isNext = line.waiting.length === 0 && lane.mayEnter(line, estimate);
      // Requests that are queued while there is capacity wait for requests of their own tenant.
      if (hasCapacity && isNext) return admit(requestClass, line, estimate);
      if (!hasCapacity) blocked += 1;
      if (line.waiting.length >= maxOwn) return 'project_limit';
      return lane.counts().waiting >= maxWaiting
        ? 'overload'
        : enqueue(lane, line, estimate, maxWaitMs);
    },
    waiting: () => waitingIn(lanes),
    inFlight: () => loadOf(lanes),
  };
}

/** Orders wait for BMCs, and lists for threads of their own: neither occupies the service. */
const createLanes = (maxOwnLoad: number): Lanes => ({
  urgent: createLane(Infinity),
  single: createLane(maxOwnLoad),
  list: createLane(Infinity),
});

/** Queues a request, for `maxWaitMs` milliseconds at most. */
const enqueue = (
  lane: Lane<Answer>,
  line: Line<Answer>,
  { cost, load }: Estimate,
  maxWaitMs: number,
): Promise<Answer> =>
  new Promise((resolve) => {
    const waiting: Waiting<Answer> = {
      cost,
      load,
      answer: (answer) => {
        clearTimeout(timer);
        resolve(answer);
      },
    };
    const timer = setTimeout(() => {
      // Its own project did not exceed its share: the service is slow or stuck, whichever tenant calls it.
      if (lane.remove(line, waiting)) resolve('overload');
    }, maxWaitMs);
    lane.join(line, waiting);
  });

/**
 * Starts a request in a lane, and stops counting its load when it is stuck.
 * @param onCapacity called whenever capacity becomes free
 * @returns ends the request, once, with its actual cost
 */
function enterLane(
  lane: Lane<Answer>,
  line: Line<Answer>,
  estimate: Estimate,
  onCapacity: () => void,
): (actual: number) => void {
  let isLeft = false;
  let isSetAside = false;
  lane.enter(line, estimate);
  const stuck = setTimeout(() => {
    if (lane.counts().setAside >= MAX_STUCK) return;
    isSetAside = true;
    lane.setAside(line, estimate);
    onCapacity();
  }, STUCK_MS);
  stuck.unref();
  return (actual) => {
    if (isLeft) return;
    isLeft = true;
    clearTimeout(stuck);
    lane.leave(line, estimate, { actual, isSetAside });
    onCapacity();
  };
}

/** One request of each class is always admitted, so that no class starves. */
const fits = (lanes: Lanes, requestClass: RequestClass, limit: number): boolean =>
  lanes[requestClass].counts().inFlight === 0 || loadOf(lanes) < limit * SHARE[requestClass];

const waitingIn = ({ urgent, single, list }: Lanes): Readonly<Record<RequestClass, number>> => ({
  urgent: urgent.counts().waiting,
  single: single.counts().waiting,
  list: list.counts().waiting,
});

const loadOf = (lanes: Lanes): number =>
  CLASSES.reduce((sum, one) => sum + lanes[one].counts().load, 0);
