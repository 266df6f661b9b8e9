import { type AuditDesk } from '../../ports/audit-desk.js';
import { type ConsoleStatus } from '../../ports/console-status.js';

/** What pages are made from. */
export interface PageContext {
  readonly desk: AuditDesk;
  readonly status: ConsoleStatus;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** An address within the console that was asked for. */
export interface PageRequest {
  readonly path: string;
  readonly query: URLSearchParams;
}
