import { AppError } from '@tenure/contracts';
import { type ResourceSection } from '../../domain/kinds/resource-kind.js';
import { type RecordStore, type StoredRecord } from '../../ports/record-store.js';
import { type Stores } from '../../ports/stores.js';

/** What a reader may do with a store, and what it does instead of the rest. */
const readOnly = <R extends StoredRecord>(
  { findBy, list, countBy }: RecordStore<R>,
  refuse: () => never,
): RecordStore<R> => {
  const write = (): Promise<never> => Promise.try(refuse);
  return { findBy, list, countBy, insert: write, swap: write, remove: write, merge: write };
};

/**
 * The stores, in which nothing can be written, on whichever database.
 * @param onWrite called for each attempt, which fails
 */
export const readOnlyStores = (stores: Stores, onWrite: () => void): Stores => {
  const refuse = (): never => {
    onWrite();
    // Seen by nobody; of this form, because it is no failure and not worth a line of the log.
    throw new AppError('reader_writes', 409, 'A reader writes nothing.');
  };
  const sections = Object.keys(stores.resources) as ResourceSection[]; // its own keys
  const resources = sections.map((section) => [
    section,
    readOnly(stores.resources[section], refuse),
  ]);
  return {
    nodes: readOnly(stores.nodes, refuse),
    allocations: readOnly(stores.allocations, refuse),
    leases: readOnly(stores.leases, refuse),
    handovers: readOnly(stores.handovers, refuse),
    conductors: readOnly(stores.conductors, refuse),
    servers: readOnly(stores.servers, refuse),
    keypairs: readOnly(stores.keypairs, refuse),
    nodeDocuments: readOnly(stores.nodeDocuments, refuse),
    nodeHistory: readOnly(stores.nodeHistory, refuse),
    claims: readOnly(stores.claims, refuse),
    departures: readOnly(stores.departures, refuse),
    resources: Object.fromEntries(resources) as Stores['resources'], // the same sections
    ping: stores.ping,
    close: stores.close,
  };
};
