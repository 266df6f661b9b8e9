import { type Logger } from '@tenure/process';
import { type PolicyWish } from '../domain/policy-wish.js';
import { type PdpMetrics } from '../metrics.js';
import { type PolicyLoader } from '../policy-loader.js';
import { type PolicyParts, type PolicySource } from '../ports/policy-source.js';
import { type PolicyStore } from '../ports/policy-store.js';

export interface KeeperOptions {
  readonly source: PolicySource;
  readonly loader: PolicyLoader;
  readonly store: PolicyStore;
  /** Milliseconds that one evaluation gets. */
  readonly deadlineMs: number;
  /** Entries of the history that are kept, and the bundles that they speak of. */
  readonly keep: number;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly metrics: Pick<PdpMetrics, 'activated' | 'loaded' | 'pinned'>;
  readonly now: () => Date;
  /** What the replicas were told, when this is known at the start. */
  readonly wish?: PolicyWish | undefined;
  /** What another replica has of a revision; undefined when none has it, or can be asked. Never rejects. */
  readonly elsewhere?: (revision: string) => Promise<PolicyParts | undefined>;
}
