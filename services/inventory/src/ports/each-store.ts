import { type ResourceSection } from '../domain/kinds/resource-kind.js';
import { type RecordStore, type StoredRecord } from './record-store.js';
import { type Stores } from './stores.js';

type StoreChange = <R extends StoredRecord>(store: RecordStore<R>) => RecordStore<R>;

/** Applies the same change to every store. */
export function eachStore(stores: Stores, change: StoreChange): Stores {
  const sections = Object.keys(stores.resources) as ResourceSection[]; // its own keys
  return {
    ...stores,
    nodes: change(stores.nodes),
    allocations: change(stores.allocations),
    leases: change(stores.leases),
    handovers: change(stores.handovers),
    conductors: change(stores.conductors),
    servers: change(stores.servers),
    keypairs: change(stores.keypairs),
    nodeDocuments: change(stores.nodeDocuments),
    nodeHistory: change(stores.nodeHistory),
    claims: change(stores.claims),
    pendingDeletions: change(stores.pendingDeletions),
    quotas: change(stores.quotas),
    usage: change(stores.usage),
    resources: Object.fromEntries(
      sections.map((section) => [section, change(stores.resources[section])]),
    ) as Stores['resources'], // the same sections
  };
}
