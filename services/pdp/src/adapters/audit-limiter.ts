import { randomUUID } from 'node:crypto';
import { AppError, UnavailableError } from '@tenure/contracts';
import { memberOf } from '@tenure/policy';
import {
  accountOf,
  type AuditShares,
  type Refused,
  type DiskSpace,
  type ShareRefusal,
} from '../domain/audit-shares.js';
import { type DecisionRecord } from '../domain/decision-record.js';
import { type AuditRequest } from '../ports/decision-log.js';
import { type ShareLimiter } from './decision-log-sinks.js';

/** The stored part of the first refused question of an account. */
export type RefusedRequest = Pick<DecisionRecord, 'input' | 'requestedBy' | 'requestId'>;

export interface AuditLimiterOptions {
  readonly shares: AuditShares<RefusedRequest>;
  readonly diskSpace: () => DiskSpace;
  readonly onRefused: (reason: ShareRefusal) => void;
}

const MAX_TEXT = 255;
/** Bytes that the chain adds to a record. */
const CHAIN_BYTES = 80;
const FULL_RETRY_SECONDS = '60';

/** Enforces each account's share of the log before a question is decided, so that every decision is logged. */
export const createAuditLimiter = ({
  shares,
  diskSpace,
  onRefused,
}: AuditLimiterOptions): ShareLimiter => ({
  admit: (request) => {
    const state = diskSpace();
    if (state === 'full') {
      onRefused('full');
      throw full();
    }
    const seconds = shares.refuse(accountOf(request.input), request.auditLimit, () =>
      shortOf(request),
    );
    if (seconds === undefined) return;
    onRefused(state === 'reserve' ? 'reserve' : 'share');
    throw usedUp(seconds);
  },
  charge: (input, bytes) => {
    shares.charge(accountOf(input), bytes + CHAIN_BYTES);
  },
});

/** One record for all refused questions of an account. */
export const recordOfRefused = (
  { count, since, first }: Refused<RefusedRequest>,
  revision: string,
): DecisionRecord => ({
  ...first,
  decisionId: randomUUID(),
  entrypoint: 'decision',
  resultText: undefined,
  errorCode: 'over_budget',
  error: `audit_bytes_per_day: ${String(count)} questions were refused since ${new Date(since).toISOString()}; this is the first`,
  revision,
  evaluationMs: 0,
  handlerMs: 0,
});

const full = (): UnavailableError =>
  new UnavailableError('The decision log is full; access is denied.', {
    headers: { 'Retry-After': FULL_RETRY_SECONDS },
  });

/** Shortens a question to its caller and action, so that refusals cannot fill the log either. */
function shortOf({ input, requestedBy, requestId }: AuditRequest): RefusedRequest {
  const subject = memberOf(input, 'subject');
  const ids = { user_id: textIn(subject, 'user_id'), project_id: textIn(subject, 'project_id') };
  return {
    input: { action: textIn(input, 'action'), subject: ids },
    requestedBy,
    requestId: requestId?.slice(0, MAX_TEXT),
  };
}

const usedUp = (seconds: number): AppError =>
  new AppError(
    'quota_exceeded',
    429,
    'Quota exceeded for audit_bytes_per_day: the project caused too many records of decisions; try again later.',
    { headers: { 'Retry-After': String(seconds) } },
  );

function textIn(value: unknown, name: string): string | null {
  const text = memberOf(value, name);
  return typeof text === 'string' ? text.slice(0, MAX_TEXT) : null;
}
