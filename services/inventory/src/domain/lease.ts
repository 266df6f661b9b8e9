import {
  BadRequestError,
  ConflictError,
  type LeaseEnd,
  type LeaseRecord,
  type LeaseStatus,
  type NodeRecord,
  timestampOf,
} from '@tenure/contracts';
import { isPast } from './lease-tenancy.js';

/** How far ahead a lease may end. */
const MAX_LEASE_YEARS = 5;

/** From when to when, as `timestampOf` writes moments. */
export interface Term {
  readonly start_time: string;
  readonly end_time: string;
}

const OPEN: readonly LeaseStatus[] = ['pending', 'active', 'ending', 'error'];

/**
 * A term in whole seconds, as it is stored. It starts now if it has begun already, or has no start.
 * @throws BadRequestError unless it ends after it starts, in the future, and within the allowed years
 */
export function termOf(
  { start_time: start, end_time: end }: Readonly<Record<keyof Term, unknown>>,
  now: Date,
): Term {
  const from = start === null ? now : momentIn('start_time', start);
  const until = momentIn('end_time', end);
  const term = {
    start_time: timestampOf(from < now ? now : from),
    end_time: timestampOf(until),
  };
  if (isPast(term.end_time, timestampOf(now)))
    throw new BadRequestError('The end_time of a lease must be in the future.');
  if (until > latestEnd(now))
    throw new BadRequestError(
      `The end_time of a lease must be within ${String(MAX_LEASE_YEARS)} years.`,
    );
  if (term.end_time <= term.start_time)
    throw new BadRequestError('A lease must end after it starts.');
  return term;
}

/**
 * The actions at the end of a lease, with defaults: a machine is torn down and cleaned unless the request says
 * otherwise.
 * @throws ConflictError `automated_clean_off` when cleaning is requested for a node that is not cleaned
 */
export function endOf(requested: Partial<LeaseEnd>, node: NodeRecord): LeaseEnd {
  const undeploy = requested.undeploy ?? true;
  const isCleanable = node.automated_clean !== false;
  if (requested.clean === true && !isCleanable)
    throw new ConflictError(
      'automated_clean_off',
      `Node ${node.uuid} has automated_clean off: it can not be cleaned at the end of a lease.`,
    );
  return { undeploy, clean: requested.clean ?? (undeploy && isCleanable) };
}

/** Whether it still holds its node, be it to clear away after it. */
export const isOpen = ({ status }: Pick<LeaseRecord, 'status'>): boolean => OPEN.includes(status);

/** The status at this moment, even if no write has recorded the end of the lease yet. */
export const statusAt = (
  { status, end_time: end }: Pick<LeaseRecord, 'status' | 'end_time'>,
  now: string,
): LeaseStatus => (status === 'active' && isPast(end, now) ? 'ending' : status);

/**
 * Refuses what only a lease can take that is to come, or that lasts.
 * @throws ConflictError `lease_over`
 */
export function assertNotOver(lease: LeaseRecord, now: string): void {
  const status = statusAt(lease, now);
  if (status !== 'pending' && status !== 'active')
    throw new ConflictError('lease_over', `Lease ${lease.uuid} is over: its status is ${status}.`);
}

function momentIn(name: string, value: unknown): Date {
  const moment = new Date(String(value));
  // A date of the form that was checked may still be none, such as one with a leap second.
  if (Number.isNaN(moment.getTime()))
    throw new BadRequestError(`Invalid input for field/attribute ${name}.`);
  return moment;
}

function latestEnd(now: Date): Date {
  const latest = new Date(now);
  latest.setUTCFullYear(latest.getUTCFullYear() + MAX_LEASE_YEARS);
  return latest;
}
