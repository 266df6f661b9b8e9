import { createLane, type Lane, type Line, type Takes, type Waiting } from './lane.js';

/** Which requests go first: what machines and orders wait for, then reads and writes of single things, then lists. */
export const CLASSES = ['urgent', 'single', 'list'] as const;
export type RequestClass = (typeof CLASSES)[number];

/** A request that asks to be let through. */
interface Ticket extends Takes {
  readonly requestClass: RequestClass;
  /** Who shares one turn: a project, or whoever has none. */
  readonly tenant: string;
}

/** A place among the requests under way. */
export interface Place {
  /** Whether others were held back while this one was under way. */
  readonly wasFull: () => boolean;
  /** Gives the place up, once. @param cost what it did cost: its tenant's next turn comes later, or sooner, by the difference */
  readonly leave: (cost: number) => void;
}

/** Why a request is not let through: its tenant has enough here, or everybody together has. */
export type Refusal = 'everybody' | 'own_share';

/** The requests on their way to one service. */
export interface FairQueue {
  /** @returns a place at once, or as soon as there is one, or why there is none */
  readonly enter: (ticket: Ticket) => Place | Promise<Place | Refusal> | Refusal;
  /** Requests that wait, by class. */
  readonly waiting: () => Readonly<Record<RequestClass, number>>;
  /** Expected load of what is under way, in milliseconds. */
  readonly underWay: () => number;
}

export interface FairQueueOptions {
  /** Expected load that may be under way, in milliseconds. */
  readonly limit: () => number;
  /** Requests of one tenant that may wait in one class. */
  readonly maxOwn: number;
  /** Requests that may wait in one class. */
  readonly maxWaiting: number;
  /** Milliseconds that a request may wait. */
  readonly maxWaitMs: number;
}

type Answer = Place | Refusal;
type Lanes = Readonly<Record<RequestClass, Lane<Answer>>>;

/** The share of the limit that each class may fill: what goes first finds room at once. */
const SHARE: Readonly<Record<RequestClass, number>> = { urgent: 1, single: 0.85, list: 0.5 };

/** Milliseconds after which a request is stuck: its service, or what that waits for, does not go on with it. */
const STUCK_MS = 1000;
/** Stuck requests of one class beyond which none is set aside any more. */
const MAX_STUCK = 512;

const loadOf = (lanes: Lanes): number =>
  CLASSES.reduce((sum, one) => sum + lanes[one].counts().load, 0);

const waitingIn = ({ urgent, single, list }: Lanes): Readonly<Record<RequestClass, number>> => ({
  urgent: urgent.counts().waiting,
  single: single.counts().waiting,
  list: list.counts().waiting,
});

/** One request of each class is always let through, so that none starves. */
const fits = (lanes: Lanes, requestClass: RequestClass, limit: number): boolean =>
  lanes[requestClass].counts().underWay === 0 || loadOf(lanes) < limit * SHARE[requestClass];

/**
 * Puts a request under way in a lane, and sets it aside when it is stuck.
 * @param onRoom called whenever there is room for others
 * @returns ends it, once, with what it did cost
 */
const enterLane = (
  lane: Lane<Answer>,
  line: Line<Answer>,
  takes: Takes,
  onRoom: () => void,
): ((actual: number) => void) => {
  let isLeft = false;
  let isSetAside = false;
  lane.enter(line, takes);
  const stuck = setTimeout(() => {
    if (lane.counts().setAside >= MAX_STUCK) return;
    isSetAside = true;
    lane.setAside(takes);
    onRoom();
  }, STUCK_MS);
  stuck.unref();
  return (actual) => {
    if (isLeft) return;
    isLeft = true;
    clearTimeout(stuck);
    lane.leave(line, takes, { actual, isSetAside });
    onRoom();
  };
};

/**
 * Lets requests through to one service by class and, within each class, by tenant and cost: a tenant that asks for much
 * waits for its own requests, not others for them. Waiting is bounded in number and time. One replica that hangs, or one
 * BMC, takes no places from the others for longer than a second.
 */
export const createFairQueue = (options: FairQueueOptions): FairQueue => {
  const { limit, maxOwn, maxWaiting, maxWaitMs } = options;
  const lanes: Lanes = { urgent: createLane(), single: createLane(), list: createLane() };
  let heldBack = 0;

  const take = (lane: Lane<Answer>, line: Line<Answer>, takes: Takes): Place => {
    const heldBackBefore = heldBack;
    const end = enterLane(lane, line, takes, () => {
      letThrough();
    });
    return { wasFull: () => heldBack > heldBackBefore || lane.counts().waiting > 0, leave: end };
  };

  const letThrough = (): void => {
    for (const requestClass of CLASSES) {
      const lane = lanes[requestClass];
      while (lane.counts().waiting > 0 && fits(lanes, requestClass, limit())) {
        const next = lane.shift();
        if (next === undefined) return;
        const [line, waiting] = next;
        waiting.answer(take(lane, line, waiting));
      }
    }
  };

  const wait = (lane: Lane<Answer>, line: Line<Answer>, { cost, load }: Takes): Promise<Answer> =>
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
        // It waited in its turn: the service is slow, or stuck, whoever asks.
        if (lane.giveUp(line, waiting)) resolve('everybody');
      }, maxWaitMs);
      lane.join(line, waiting);
    });

  return {
    enter: ({ requestClass, tenant, cost, load }) => {
      const lane = lanes[requestClass];
      const line = lane.lineOf(tenant);
      const { waiting } = lane.counts();
      if (waiting === 0 && fits(lanes, requestClass, limit()))
        return take(lane, line, { cost, load });
      heldBack += 1;
      if (line.waiting.length >= maxOwn) return 'own_share';
      return waiting >= maxWaiting ? 'everybody' : wait(lane, line, { cost, load });
    },
    waiting: () => waitingIn(lanes),
    underWay: () => loadOf(lanes),
  };
};
