import { type RecordStore, type StoredRecord } from '../ports/record-store.js';
import { type Stores } from '../ports/stores.js';

/** The error of each write of a process that is dead. */
export class DeadError extends Error {
  constructor() {
    super('the process is dead');
    this.name = 'DeadError';
  }
}

interface DyingStores {
  readonly stores: Stores;
  /** After so many more writes nothing is written any more. */
  readonly dieAfter: (writes: number) => void;
  readonly revive: () => void;
}

/** Stores of a process that dies between two writes. */
export function dyingStores(stores: Stores): DyingStores {
  let left = Infinity;
  const spend = (): void => {
    if (left <= 0) throw new DeadError();
    left -= 1;
  };
  const dying = <R extends StoredRecord>(store: RecordStore<R>): RecordStore<R> => ({
    ...store,
    insert: async (build) => {
      spend();
      return store.insert(build);
    },
    swap: async (record, expected) => {
      spend();
      return store.swap(record, expected);
    },
    remove: async (uuid, expected, minEpoch) => {
      spend();
      return store.remove(uuid, expected, minEpoch);
    },
  });
  return {
    stores: {
      ...stores,
      nodes: dying(stores.nodes),
      leases: dying(stores.leases),
      handovers: dying(stores.handovers),
      allocations: dying(stores.allocations),
      nodeHistory: dying(stores.nodeHistory),
    },
    dieAfter: (writes) => {
      left = writes;
    },
    revive: () => {
      left = Infinity;
    },
  };
}
