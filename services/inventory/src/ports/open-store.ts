import { type SchemaStore } from './schema-store.js';
import { type StoreMarks } from './store-marks.js';
import { type StoreMemory } from './store-memory.js';
import { type Stores } from './stores.js';

/** An open database: its version, and its stores, which need the version of this release. */
export interface OpenStore {
  readonly schema: SchemaStore;
  readonly marks: StoreMarks;
  readonly stores: Stores;
  /**
   * Inspects the disk of the store, without writing.
   * @returns free bytes; undefined when they cannot be read
   * @throws AppError 503 or 507 when the store cannot be written to
   */
  readonly inspect: () => Promise<number | undefined>;
}

/** The store that the configuration names, and what its data directory remembers. */
export interface ConfiguredStore extends OpenStore {
  readonly isEmbedded: boolean;
  /** Its name in the memory of the data directory. */
  readonly place: string;
  readonly memory: StoreMemory;
}
