import { type ContextResource, type Obligations, type Subject } from '@tenure/contracts';

/** On whose behalf, and for which action, another part is asked. */
export interface OnBehalf {
  /** `req-<uuid>`. */
  readonly request_id: string;
  /** Null when the service works for itself. */
  readonly subject: Subject | null;
  readonly action: string;
  readonly public_base: string;
  /** What the decision was made on; whoever is asked refuses what is stale. */
  readonly resources: readonly ContextResource[];
  readonly obligations: Obligations;
}
