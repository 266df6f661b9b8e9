import { type AuditQueries } from '../../ports/audit-queries.js';
import { type ConsoleStatus } from '../../ports/console-status.js';

/** The sources of a page. */
export interface PageContext {
  readonly auditQueries: AuditQueries;
  readonly status: ConsoleStatus;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** A requested address within the console. */
export interface PageRequest {
  readonly path: string;
  readonly query: URLSearchParams;
}
