import { type MigrationVersion, type SchemaRecord } from '../domain/schema.js';

/** The process that may migrate, and until when. */
export interface SchemaLock {
  readonly holder: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** The version of a store's data, and the lock of its migration. Every adapter passes `schemaStoreContract`. */
export interface SchemaStore {
  /** The recorded version; undefined: none yet. */
  readonly read: () => Promise<SchemaRecord | undefined>;
  /** Whether there is any record of any kind. */
  readonly hasData: () => Promise<boolean>;
  /**
   * Takes the right to migrate, or holds on to it: unless another has it and its time is not over.
   * @param now milliseconds since the epoch
   * @returns whether it is the holder's now
   */
  readonly lock: (lock: SchemaLock, now: number) => Promise<boolean>;
  /** Gives the right back; nothing happens when it is another's by now. */
  readonly unlock: (holder: string) => Promise<void>;
  /** Does what the migration to a version is about. Safe to repeat, to be cut off anywhere, and to be done by two at once. */
  readonly apply: (version: MigrationVersion) => Promise<void>;
  /**
   * Records the version of the data.
   * @returns false when another process has the lock by now; nothing was written then
   */
  readonly record: (holder: string, record: SchemaRecord) => Promise<boolean>;
  /**
   * Raises every number that a decision, a lock or a write is bound to (`tenancy_revision`, `fence`, `revision`), and
   * the minimum epochs. May be repeated after an interruption: raising them further does no harm.
   */
  readonly raiseNumbers: (by: number) => Promise<void>;
}
