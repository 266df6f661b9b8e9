import { type OpenedBundle, type Overlay } from '@tenure/policy';

/** The files of a bundle by name. */
type BundleContent = ReadonlyMap<string, Uint8Array>;

/** Everything a policy is made of, unchecked. */
export interface PolicyParts {
  readonly bundle: BundleContent;
  readonly overlays: readonly Overlay[];
}

/** The source could not be read: its content is unknown, and the policy in service is not affected. */
export class SourceAway extends Error {
  override readonly name = 'SourceAway';
}

/** Where the policy comes from. */
export interface PolicySource {
  /** Says where, without secrets. */
  readonly name: string;
  /** Whether it may be unavailable independent of this machine, so that a start must not depend on it. */
  readonly isRemote: boolean;
  /**
   * @throws PolicyRefused when something is missing, unreadable or too large
   * @throws SourceAway
   */
  readonly read: () => Promise<PolicyParts>;
  /** @throws PolicyRefused when one is missing, unreadable or too large */
  readonly readOverlays: () => Promise<readonly Overlay[]>;
  /**
   * Changes when what `read` would give may have changed.
   * @throws SourceAway
   */
  readonly fingerprint: () => Promise<string>;
}

/**
 * Verifies a bundle, and returns its parts.
 * @throws PolicyRefused with the reason
 */
export type BundleOpener = (parts: PolicyParts) => OpenedBundle;
