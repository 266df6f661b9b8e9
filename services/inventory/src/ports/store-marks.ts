import { type StoreMark } from '../domain/registered-stores.js';

/** The mark in a store. Every adapter passes `storeMarksContract`. */
export interface StoreMarks {
  /** Undefined: the store has no mark yet. */
  readonly read: () => Promise<StoreMark | undefined>;
  /**
   * Raises the marker, durably. A store without a mark gets an identity first.
   * @param by whole and above 0
   * @returns the mark that was written
   * @throws AppError 503 or 507 when the store cannot be written
   */
  readonly advance: (by: number) => Promise<StoreMark>;
}
