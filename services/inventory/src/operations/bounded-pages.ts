import { type ResourceSection } from '../domain/kinds/resource-kind.js';
import { type PageQuery } from '../ports/record-store.js';
import { type Stores } from '../ports/stores.js';

/** Bytes of a page, as its rows are stored, unless something else is configured. */
export const DEFAULT_LIST_BYTES = 4 * 1024 * 1024;

const bounded = <S extends { readonly page: (query: PageQuery) => unknown }>(
  store: S,
  bytes: number,
): S => ({
  ...store,
  page: (query: PageQuery) =>
    store.page({ ...query, bytes: Math.min(bytes, query.bytes ?? bytes) }),
});

/** The stores, no page of which has more bytes than this (but for a single row that has), whoever asks for it. */
export const boundedPages = (stores: Stores, bytes: number): Stores => {
  const sections = Object.keys(stores.resources) as ResourceSection[]; // its own keys
  return {
    ...stores,
    nodes: bounded(stores.nodes, bytes),
    allocations: bounded(stores.allocations, bytes),
    leases: bounded(stores.leases, bytes),
    handovers: bounded(stores.handovers, bytes),
    servers: bounded(stores.servers, bytes),
    keypairs: bounded(stores.keypairs, bytes),
    nodeDocuments: bounded(stores.nodeDocuments, bytes),
    nodeHistory: bounded(stores.nodeHistory, bytes),
    claims: bounded(stores.claims, bytes),
    resources: Object.fromEntries(
      sections.map((section) => [section, bounded(stores.resources[section], bytes)]),
    ) as unknown as Stores['resources'], // the same sections
  };
};
