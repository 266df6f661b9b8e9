import { type RegisteredStores, type StoreMark } from '../domain/registered-stores.js';

/** The marks of the stores that were used with a data directory. */
export interface StoreMemory {
  /** @throws Error when what is remembered cannot be read */
  readonly registered: () => Promise<RegisteredStores>;
  /** Whether the decision log of the data directory has records. */
  readonly hasDecisions: () => Promise<boolean>;
  /**
   * Remembers the mark of a store in place of an earlier one. Where the directory does not exist, nothing is remembered.
   * @throws Error when it cannot be written
   */
  readonly remember: (place: string, mark: StoreMark) => Promise<void>;
}
