import { type Subject } from '@tenure/contracts';
import { type Applicant } from '../../application/admission/admission.js';
import { type RequestClass } from '../../application/admission/fair-queue.js';
import { type Query } from '../../routes/query.js';
import { type Route } from '../../routes/route.js';

/** The facts that determine kind, class and tenant of a request. */
export interface Facts {
  readonly route: Route;
  readonly query: Query;
  readonly subject: Subject | null;
  /** The network of the client's address. */
  readonly network: string;
  /** Size of the body in bytes. */
  readonly bodyBytes: number;
}

/** All users of a project share one tenant. A user without a project is one; so are all anonymous requests of a network. */
export function tenantOf({ subject, network }: Pick<Facts, 'network' | 'subject'>): string {
  if (subject === null) return `network ${network}`;
  return subject.project_id === null ? `user ${subject.user_id}` : `project ${subject.project_id}`;
}

/** Kind, class and tenant of a request. */
export const applicantOf = (facts: Facts): Applicant => ({
  kind: `${facts.route.method} ${facts.route.path} ${sizeOf(facts)}`,
  requestClass: classOf(facts),
  tenant: tenantOf(facts),
});

function sizeOf({ route, query, bodyBytes }: Facts): string {
  if (route.isList !== true) return String(magnitudeOf(bodyBytes / 1024));
  const columns = ['fields', 'detail'].filter((key) => query.has(key));
  return [rowsOf(query.get('limit')), ...columns].join(' ');
}

/** Agents, and orders to machines, go first, because a machine or its operator waits for them. */
function classOf({ route }: Facts): RequestClass {
  if (route.isList === true) return 'list';
  const isOrder =
    route.upstream === 'conductor' && route.method !== 'GET' && route.method !== 'HEAD';
  return isOrder || route.agent !== undefined ? 'urgent' : 'single';
}

/** The order of magnitude of a number, so that the number of kinds stays small. */
const magnitudeOf = (value: number): number => Math.ceil(Math.log2(Math.max(1, value)) / 2);

/** Magnitude of the page size; a list without a limit gets the service's maximum. */
function rowsOf(limit: string | undefined): string {
  const rows = Number(limit);
  return limit !== undefined && Number.isInteger(rows) && rows > 0
    ? String(magnitudeOf(rows))
    : 'all';
}
