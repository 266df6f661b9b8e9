import { type VerificationKey } from './verification-keys.js';

/** The keys of one issuer, as they are now. */
export interface KeySource {
  /** Usable keys; may change at any time. */
  readonly keys: () => readonly VerificationKey[];
  /**
   * Called when no key fits a token. Resolves when the keys are as fresh as may be asked for.
   * @throws UnavailableError when no keys were ever had
   */
  readonly refresh: () => Promise<void>;
}

/** Keys that never change: the local development key. */
export const fixedKeys = (keys: readonly VerificationKey[]): KeySource => ({
  keys: () => keys,
  refresh: () => Promise.resolve(),
});
