import { type KeptState } from '../domain/policy-history.js';
import { type PolicyParts } from './policy-source.js';

/** Bundles that were in service, and what became of those that were tried. */
export interface PolicyStore {
  /** @throws Error when what is there cannot be read: who was rolled back to must not be forgotten */
  readonly load: () => Promise<KeptState>;
  /** Also forgets the parts of every revision that the state does not speak of. */
  readonly save: (state: KeptState) => Promise<void>;
  readonly put: (revision: string, parts: PolicyParts) => Promise<void>;
  /** Undefined when it is not kept. They are unchecked: whoever may write the directory may have changed them. */
  readonly get: (revision: string) => Promise<PolicyParts | undefined>;
}
