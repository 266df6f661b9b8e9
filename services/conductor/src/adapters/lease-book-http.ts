import { Type } from '@sinclair/typebox';
import { LEASE_STATUSES, type LeaseRecord } from '@tenure/contracts';
import { expectAnswer, type ServiceClient } from '@tenure/http';
import { type LeaseBook } from '../ports/lease-book.js';
import { unlessMissing } from './inventory-answers.js';

const oneOf = (words: readonly string[]) => Type.Union(words.map((word) => Type.Literal(word)));

// Only what the conductor acts on is checked.
const LeaseShape = Type.Object({
  uuid: Type.String({ minLength: 1 }),
  node_uuid: Type.String({ minLength: 1 }),
  status: oneOf(LEASE_STATUSES),
});
const BegunShape = Type.Object({ begun: Type.Integer({ minimum: 0 }) });

const asLease = (answer: unknown): LeaseRecord => {
  expectAnswer(LeaseShape, answer);
  return answer as LeaseRecord; // the members that are used were checked; the rest is the inventory's own record
};

/**
 * Leases over HTTP (docs/contracts.md, "Inventory, internal").
 * @param hostname of this conductor, for the history of the nodes
 */
export const createHttpLeaseBook = (client: ServiceClient, hostname: string): LeaseBook => {
  const path = (uuid: string): string => `/internal/leases/${encodeURIComponent(uuid)}`;
  return {
    beginDue: async (context) => {
      const body = { hostname };
      const answer = expectAnswer(
        BegunShape,
        await client.call({ context, method: 'POST', target: '/internal/leases/begin', body }),
      );
      return answer.begun;
    },
    get: (context, uuid) =>
      unlessMissing(async () =>
        asLease(await client.call({ context, method: 'GET', target: path(uuid) })),
      ),
    report: async (context, uuid, report) => {
      const body = { hostname, ...report };
      return asLease(
        await client.call({ context, method: 'POST', target: `${path(uuid)}/end`, body }),
      );
    },
  };
};
