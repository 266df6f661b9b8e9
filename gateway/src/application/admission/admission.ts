import { AppError } from '@tenure/contracts';
import { type Spent } from '@tenure/http';
import { type AdaptiveLimit } from './adaptive-limit.js';
import { type CostBook, type Sort } from './cost-book.js';
import { type FairQueue, type Slot, type Refusal, type RequestClass } from './fair-queue.js';

/** The properties of a request that admission uses. */
export interface Applicant extends Sort {
  readonly requestClass: RequestClass;
}

/** Duration and cost of a request at its service. */
export interface Took {
  /** Milliseconds until its response began, measured by the gateway. */
  readonly tookMs: number;
  /** Reported by the service; undefined when the response has no report. */
  readonly spent: Spent | undefined;
}

/** An admitted request. */
export interface Admitted {
  /** Releases its slot, once. @param attempts one for each call of a service: a call may be repeated after a 412 */
  readonly ended: (attempts: readonly Took[]) => void;
}

/** Decides which requests proceed now, which are queued, and which are refused at once. */
export interface Admission {
  /** @throws AppError 429 when the tenant has its maximum of queued requests, 503 when the queue is full or too slow */
  readonly admit: (applicant: Applicant) => Admitted | Promise<Admitted>;
}

export interface AdmissionParts {
  readonly costs: CostBook;
  readonly limit: AdaptiveLimit;
  readonly queue: FairQueue;
  /** Called for each refused request. */
  readonly onRefused: (requestClass: RequestClass, refusal: Refusal) => void;
}

/** Expected cost of the first request of a kind, in milliseconds, by class. */
const FALLBACK_COST: Readonly<Record<RequestClass, number>> = { urgent: 2, single: 3, list: 40 };

const REFUSALS = {
  project_limit: {
    code: 'too_many_requests',
    status: 429,
    message: 'Too many requests of this project are being served; try again shortly.',
    retryAfter: 1,
  },
  overload: {
    code: 'overloaded',
    status: 503,
    message: 'Too many requests are being served; try again shortly.',
    retryAfter: 2,
  },
} as const;

/** The error for a request that is not admitted. */
export function refused(refusal: Refusal): AppError {
  const { code, status, message, retryAfter } = REFUSALS[refusal];
  return new AppError(code, status, message, { headers: { 'Retry-After': String(retryAfter) } });
}

export function createAdmission({ costs, limit, queue, onRefused }: AdmissionParts): Admission {
  const admitted = (applicant: Applicant, slot: Slot): Admitted => ({
    ended: (attempts) => {
      for (const { tookMs, spent } of attempts) {
        costs.note(
          applicant,
          workOf({ tookMs, spent }),
          slot.wasFull() ? undefined : (spent?.elapsedMs ?? tookMs),
        );
        if (spent !== undefined) limit.note(tookMs - spent.elapsedMs, slot.wasFull());
      }
      slot.leave(attempts.reduce((sum, took) => sum + workOf(took), 0));
    },
  });

  const orRefuse = (applicant: Applicant, answer: Slot | Refusal): Admitted => {
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
}

const workOf = ({ tookMs, spent }: Took): number => Math.min(tookMs, spent?.activeMs ?? tookMs);
