import { type PolicyMaterial } from '@tenure/policy';

/** Where the policy comes from. */
export interface PolicySource {
  /** @throws PolicyRefused when something is missing, unreadable or too large */
  readonly read: () => Promise<PolicyMaterial>;
  /** Changes when what `read` would give may have changed. */
  readonly fingerprint: () => Promise<string>;
}
