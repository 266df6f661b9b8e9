import { type MigrationVersion, type SchemaRecord } from '../domain/schema.js';

/** Who may migrate, until when. */
export interface SchemaLock {
  readonly holder: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** What a store knows of the form of its data. Every adapter passes `schemaStoreContract`. */
export interface SchemaStore {
  /** What was written down; undefined: nothing yet. */
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
   * Writes down what the data is now.
   * @returns false when the right to migrate is another's by now; nothing was written then
   */
  readonly record: (holder: string, record: SchemaRecord) => Promise<boolean>;
  /**
   * Raises every number that a decision, a lock or a write is bound to (`tenancy_revision`, `fence`, `revision`), and the
   * floors below which none comes back. One that was cut off may be repeated: more is as good.
   */
  readonly raiseNumbers: (by: number) => Promise<void>;
}
