import { UnavailableError } from '@tenure/contracts';
import { type ListRequest, type ReadOptions, type ReadList } from '../../ports/list-readers.js';
import { type RefusalReason } from './reader-metrics.js';

/** A request that waits for its response. It ends once; later calls have no effect. */
export interface ReadJob {
  readonly request: ListRequest;
  readonly tenant: string;
  /** Arrival by `performance.now()`. */
  readonly since: number;
  /** @param read undefined: the caller answers the request itself */
  readonly resolve: (read: ReadList | undefined) => void;
  readonly refuse: (reason: RefusalReason) => void;
}

const MESSAGES: Readonly<Record<RefusalReason, string>> = {
  full: 'Too many lists are being read; please retry.',
  deadline: 'The list was not read in time; please retry.',
  ended: 'The list could not be read now; please retry.',
};

export interface JobOptions extends ReadOptions {
  readonly deadlineMs: number;
  /** Called once when the job has ended, for any reason. */
  readonly onEnd: (job: ReadJob) => void;
  readonly onRefused: (reason: RefusalReason) => void;
}

/** 503 with a short Retry-After. */
export const refusalOf = (reason: RefusalReason): UnavailableError =>
  new UnavailableError(MESSAGES[reason], { headers: { 'Retry-After': '1' } });

/** Creates a job. It is refused at its deadline, and resolved with undefined when the client has closed the connection. */
export function beginJob(
  request: ListRequest,
  { tenant, signal, deadlineMs, onEnd, onRefused }: JobOptions,
): { readonly job: ReadJob; readonly answer: Promise<ReadList | undefined> } {
  const { promise: answer, resolve, reject } = Promise.withResolvers<ReadList | undefined>();
  let hasEnded = false;
  const end = (complete: () => void): void => {
    if (hasEnded) return;
    hasEnded = true;
    clearTimeout(timer);
    signal.removeEventListener('abort', leave);
    onEnd(job);
    complete();
  };
  const job: ReadJob = {
    request,
    tenant,
    since: performance.now(),
    resolve: (read) => {
      end(() => {
        resolve(read);
      });
    },
    refuse: (reason) => {
      end(() => {
        onRefused(reason);
        reject(refusalOf(reason));
      });
    },
  };
  const leave = (): void => {
    job.resolve(undefined);
  };
  const timer = setTimeout(job.refuse, deadlineMs, 'deadline');
  signal.addEventListener('abort', leave);
  return { job, answer };
}
