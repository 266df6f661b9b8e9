import { createLane, type Lane, type Line, type Waiting } from './lane.js';

/** Which requests go first: what machines and orders wait for, then reads and writes of single things, then lists. */
export const CLASSES = ['urgent', 'single', 'list'] as const;
export type RequestClass = (typeof CLASSES)[number];

/** A request that asks to be let through. */
interface Ticket {
  readonly requestClass: RequestClass;
  /** Who shares one turn: a project, or whoever has none. */
  readonly tenant: string;
  /** Expected cost in milliseconds of work. */
  readonly cost: number;
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
  /** Expected cost of what is under way, in milliseconds. */
  readonly underWay: () => number;
}

export interface FairQueueOptions {
  /** Expected cost that may be under way. */
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

const costOf = (lanes: Lanes): number =>
  CLASSES.reduce((sum, one) => sum + lanes[one].counts().cost, 0);

const waitingIn = ({ urgent, single, list }: Lanes): Readonly<Record<RequestClass, number>> => ({
  urgent: urgent.counts().waiting,
  single: single.counts().waiting,
  list: list.counts().waiting,
});

/** One request of each class is always let through, so that none starves. */
const fits = (lanes: Lanes, requestClass: RequestClass, limit: number): boolean =>
  lanes[requestClass].counts().underWay === 0 || costOf(lanes) < limit * SHARE[requestClass];

/**
 * Lets requests through to one service by class and, within each class, by tenant and cost: a tenant that asks for much
 * waits for its own requests, not others for them. Waiting is bounded in number and time.
 */
export const createFairQueue = (options: FairQueueOptions): FairQueue => {
  const { limit, maxOwn, maxWaiting, maxWaitMs } = options;
  const lanes: Lanes = { urgent: createLane(), single: createLane(), list: createLane() };
  let heldBack = 0;

  const take = (lane: Lane<Answer>, line: Line<Answer>, expected: number): Place => {
    const heldBackBefore = heldBack;
    let isLeft = false;
    lane.enter(line, expected);
    return {
      wasFull: () => heldBack > heldBackBefore || lane.counts().waiting > 0,
      leave: (actual) => {
        if (isLeft) return;
        isLeft = true;
        lane.leave(line, expected, actual);
        letThrough();
      },
    };
  };

  const letThrough = (): void => {
    for (const requestClass of CLASSES) {
      const lane = lanes[requestClass];
      while (lane.counts().waiting > 0 && fits(lanes, requestClass, limit())) {
        const next = lane.shift();
        if (next === undefined) return;
        const [line, waiting] = next;
        waiting.answer(take(lane, line, waiting.cost));
      }
    }
  };

  const wait = (lane: Lane<Answer>, line: Line<Answer>, cost: number): Promise<Answer> =>
    new Promise((resolve) => {
      const waiting: Waiting<Answer> = {
        cost,
        answer: (answer) => {
          clearTimeout(timer);
          resolve(answer);
        },
      };
      const timer = setTimeout(() => {
        if (!lane.giveUp(line, waiting)) return;
        const hasMore = line.waiting.length > 0 || line.underWay > 0;
        resolve(hasMore ? 'own_share' : 'everybody');
      }, maxWaitMs);
      lane.join(line, waiting);
    });

  return {
    enter: ({ requestClass, tenant, cost }) => {
      const lane = lanes[requestClass];
      const line = lane.lineOf(tenant);
      const { waiting } = lane.counts();
      if (waiting === 0 && fits(lanes, requestClass, limit())) return take(lane, line, cost);
      heldBack += 1;
      if (line.waiting.length >= maxOwn) return 'own_share';
      return waiting >= maxWaiting ? 'everybody' : wait(lane, line, cost);
    },
    waiting: () => waitingIn(lanes),
    underWay: () => costOf(lanes),
  };
};
