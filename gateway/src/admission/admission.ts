import { AppError } from '@tenure/contracts';
import { type Spent } from '@tenure/http';
import { type AdaptiveLimit } from './adaptive-limit.js';
import { type CostBook, type Sort } from './cost-book.js';
import { type FairQueue, type Place, type Refusal, type RequestClass } from './fair-queue.js';

/** What is known of a request before anything is done for it. */
export interface Applicant extends Sort {
  readonly requestClass: RequestClass;
}

/** What the service that was asked took for a request. */
export interface Took {
  /** Milliseconds until its answer began, as seen from here. */
  readonly tookMs: number;
  /** What it says itself; undefined when it does not say. */
  readonly spent: Spent | undefined;
}

/** A request that was let through. */
export interface Admitted {
  /** Gives its place up, once. @param took undefined when no service was asked */
  readonly ended: (took: Took | undefined) => void;
}

/** Decides which requests are served now, which wait, and which are refused at once. */
export interface Admission {
  /** @throws AppError 429 when the tenant has its share waiting already, 503 when everybody together has too much */
  readonly admit: (applicant: Applicant) => Admitted | Promise<Admitted>;
}

export interface AdmissionParts {
  readonly costs: CostBook;
  readonly limit: AdaptiveLimit;
  readonly queue: FairQueue;
  /** Called with each request that is refused. */
  readonly onRefused: (requestClass: RequestClass, refusal: Refusal) => void;
}

/** Milliseconds that a request of each class is thought to cost before one was seen. */
const FALLBACK_COST: Readonly<Record<RequestClass, number>> = { urgent: 2, single: 3, list: 40 };

const REFUSALS = {
  own_share: {
    code: 'too_many_requests',
    status: 429,
    message: 'Too many requests of this project are being served; try again shortly.',
    retryAfter: 1,
  },
  everybody: {
    code: 'overloaded',
    status: 503,
    message: 'Too many requests are being served; try again shortly.',
    retryAfter: 2,
  },
} as const;

/** The answer to a request that is not let through. */
export const refused = (refusal: Refusal): AppError => {
  const { code, status, message, retryAfter } = REFUSALS[refusal];
  return new AppError(code, status, message, { headers: { 'Retry-After': String(retryAfter) } });
};

export const createAdmission = ({ costs, limit, queue, onRefused }: AdmissionParts): Admission => {
  const admitted = (applicant: Applicant, place: Place): Admitted => ({
    ended: (took) => {
      if (took === undefined) {
        place.leave(0);
        return;
      }
      const { tookMs, spent } = took;
      const work = Math.min(tookMs, spent?.activeMs ?? tookMs);
      costs.note(applicant, work, place.wasFull() ? undefined : (spent?.elapsedMs ?? tookMs));
      if (spent !== undefined) limit.note(tookMs - spent.elapsedMs, place.wasFull());
      place.leave(work);
    },
  });

  const orRefuse = (applicant: Applicant, answer: Place | Refusal): Admitted => {
    if (typeof answer !== 'string') return admitted(applicant, answer);
    onRefused(applicant.requestClass, answer);
    throw refused(answer);
  };

  return {
    admit: (applicant) => {
      const { requestClass, tenant } = applicant;
      const expected = costs.expected(applicant, FALLBACK_COST[requestClass]);
      const answer = queue.enter({ requestClass, tenant, ...expected });
      return answer instanceof Promise
        ? answer.then((one) => orRefuse(applicant, one))
        : orRefuse(applicant, answer);
    },
  };
};
