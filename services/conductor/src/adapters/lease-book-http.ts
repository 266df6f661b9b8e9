import { Type } from '@sinclair/typebox';
import { LEASE_STATUSES, type LeaseRecord, matches } from '@tenure/contracts';
import { type ServiceClient } from '@tenure/http';
import { type LeaseBook } from '../ports/lease-book.js';
import { createAskInventory, odd, unlessMissing } from './inventory-ask.js';

const oneOf = (words: readonly string[]) => Type.Union(words.map((word) => Type.Literal(word)));

// Only what the conductor acts on is checked.
const LeaseShape = Type.Object({
  uuid: Type.String({ minLength: 1 }),
  node_uuid: Type.String({ minLength: 1 }),
  status: oneOf(LEASE_STATUSES),
});
const BegunShape = Type.Object({ begun: Type.Integer({ minimum: 0 }) });

const asLease = (answer: unknown): LeaseRecord => {
  if (!matches(LeaseShape, answer)) throw odd();
  return answer as unknown as LeaseRecord; // the members that are used were checked; the rest is the inventory's own record
};

/**
 * Leases over HTTP (docs/contracts.md, "Inventory, internal").
 * @param hostname of this conductor, for the history of the nodes
 */
export const createHttpLeaseBook = (client: ServiceClient, hostname: string): LeaseBook => {
  const ask = createAskInventory(client);
  const path = (uuid: string): string => `/internal/leases/${encodeURIComponent(uuid)}`;
  return {
    beginDue: async (behalf) => {
      const body = { hostname };
      const answer = await ask(behalf, { method: 'POST', target: '/internal/leases/begin', body });
      if (!matches(BegunShape, answer)) throw odd();
      return answer.begun;
    },
    get: (behalf, uuid) =>
      unlessMissing(async () => asLease(await ask(behalf, { method: 'GET', target: path(uuid) }))),
    report: async (behalf, uuid, report) => {
      const body = { hostname, ...report };
      return asLease(await ask(behalf, { method: 'POST', target: `${path(uuid)}/end`, body }));
    },
  };
};
