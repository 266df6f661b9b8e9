import { type ContextResource, type PolicyFilter, type Subject } from '@tenure/contracts';

/** On whose behalf, and for which action, the inventory is asked. `filter` is the policy's, never our own idea. */
export interface OnBehalf {
  /** `req-<uuid>`. */
  readonly request_id: string;
  /** Null when the service works for itself: finishing an allocation that was acknowledged before. */
  readonly subject: Subject | null;
  readonly action: string;
  /** Microversion, for example `1.65`. */
  readonly api_version: string;
  readonly public_base: string;
  /** What the decision was made on; the inventory refuses what is stale. */
  readonly resources: readonly ContextResource[];
  /** Rows that may be read. */
  readonly filter: PolicyFilter;
}
