import { type VerificationKey } from './verification-keys.js';

/** The current keys of one issuer. */
export interface KeySource {
  /** Usable keys; may change at any time. */
  readonly keys: () => readonly VerificationKey[];
  /**
   * Called when no key matches a token. Resolves when the keys are as fresh as the limit of fetches allows.
   * @throws UnavailableError when no keys could ever be fetched
   */
  readonly refresh: () => Promise<void>;
}

/** Keys that never change: the local development key. */
export const fixedKeys = (keys: readonly VerificationKey[]): KeySource => ({
  keys: () => keys,
  refresh: () => Promise.resolve(),
});
