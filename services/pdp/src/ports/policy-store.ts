import { type StoredState } from '../domain/stored-state.js';
import { type PolicyParts } from './policy-source.js';

/** Bundles that were active, and the state that survives a restart. */
export interface PolicyStore {
  /** @throws Error when the stored state cannot be read: a pin must not be forgotten */
  readonly load: () => Promise<StoredState>;
  /** Also removes the bundles of all revisions that the state does not name. */
  readonly save: (state: StoredState) => Promise<void>;
  readonly put: (revision: string, parts: PolicyParts) => Promise<void>;
  /** Undefined when it is not stored. Unchecked: anyone who can write the directory may have changed it. */
  readonly get: (revision: string) => Promise<PolicyParts | undefined>;
}
