import { type Charges, type Limits } from '../domain/budgets.js';
import { type RecordShape, type StoredRecord } from './record-store.js';

/** Limits that an operator set, by uuid `default`, `project:<id>` or `user:<id>`. */
export interface QuotaRecord extends StoredRecord {
  readonly limits: Limits;
}

/** What an account has stored, by uuid `project:<id>` or `user:<id>`. Never less than what its records cost. */
export interface UsageRecord extends StoredRecord {
  readonly used: Charges;
  /** When a place was last reserved, in milliseconds since the epoch: the write that follows may still be under way. */
  readonly reserved_at: number;
  /** How often `used` was counted anew. */
  readonly recounts: number;
}

const byUuid = (name: string): RecordShape => ({
  name,
  indexed: [],
  compound: [],
  unique: [],
  queried: [],
});
export const QUOTA_SHAPE = byUuid('quotas');
export const USAGE_SHAPE = byUuid('project_usage');
