import { Type } from '@sinclair/typebox';
import { api, LEASE_STATUSES, type LeaseRecord } from '@tenure/contracts';
import { expectAnswer, type ServiceCall, type ServiceClient } from '@tenure/http';
import { type LeaseBook } from '../ports/lease-book.js';
import { unlessMissing } from './inventory-answers.js';

// Only what the conductor acts on is checked.
const LeaseShape = Type.Object({
  uuid: Type.String({ minLength: 1 }),
  node_uuid: Type.String({ minLength: 1 }),
  status: api.enumOf(...LEASE_STATUSES),
});
const BegunShape = Type.Object({ begun: Type.Integer({ minimum: 0 }) });

/**
 * Leases over HTTP (docs/contracts/inventory.md).
 * @param hostname of this conductor, for the history of the nodes
 */
export function createHttpLeaseBook(client: ServiceClient, hostname: string): LeaseBook {
  const path = (uuid: string): string => `/internal/leases/${encodeURIComponent(uuid)}`;
  const call = async (what: ServiceCall): Promise<LeaseRecord> => asLease(await client.call(what));
  return {
    beginDue: async (context) => {
      const target = '/internal/leases/begin';
      const answer = await client.call({ context, method: 'POST', target, body: { hostname } });
      return expectAnswer(BegunShape, answer).begun;
    },
    get: (context, uuid) =>
      unlessMissing(() => call({ context, method: 'GET', target: path(uuid) })),
    report: (context, uuid, report) =>
      call({ context, method: 'POST', target: `${path(uuid)}/end`, body: { hostname, ...report } }),
  };
}

function asLease(answer: unknown): LeaseRecord {
  expectAnswer(LeaseShape, answer);
  return answer as LeaseRecord; // the members that are used were checked; the rest is the inventory's own record
}
