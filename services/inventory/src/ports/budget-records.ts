import { type Charges, type Limits } from '../domain/budgets.js';
import { type StoredRecord } from './record-store.js';

/** Limits that an operator set, by uuid `default`, `project:<id>` or `user:<id>`. */
export interface QuotaRecord extends StoredRecord {
  readonly limits: Limits;
}

/** Usage of an account, by uuid `project:<id>` or `user:<id>`. Never less than the cost of its records. */
export interface UsageRecord extends StoredRecord {
  readonly used: Charges;
  /** Time of the last reservation, in milliseconds since the epoch: its write may still be in flight. */
  readonly reserved_at: number;
  /** Number of recounts that corrected `used`. */
  readonly recounts: number;
}
