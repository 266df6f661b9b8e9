import { type ContextResource, type Obligations, type Subject } from '@tenure/contracts';

/** On whose behalf, and for which action, the inventory is asked. */
export interface OnBehalf {
  /** `req-<uuid>`. */
  readonly request_id: string;
  /** Of the decision on the request; absent when the service works for itself. */
  readonly decision_id?: string | null;
  /** Null when the service works for itself: finishing an allocation that was acknowledged before. */
  readonly subject: Subject | null;
  readonly action: string;
  /** Microversion, for example `1.65`. */
  readonly api_version: string;
  readonly public_base: string;
  /** What the decision was made on; the inventory refuses what is stale. */
  readonly resources: readonly ContextResource[];
  /** The policy's, never our own idea: the inventory words its errors by what is masked. `filter`: rows that may be read. */
  readonly obligations: Obligations;
}
