import { type SchemaStore } from './schema-store.js';
import { type Stores } from './stores.js';

/** A database that is open: what it knows of its own form, and the stores in it, which need the form of this release. */
export interface OpenStore {
  readonly schema: SchemaStore;
  readonly stores: Stores;
}
