import { type Behalf } from './inventory-port.js';

/** Knows whose a virtual interface (VIF) is. */
export interface NetworkRegistry {
  /** The project whose VIF it is; null when nobody is known to have it. */
  readonly ownerOf: (behalf: Behalf, vif: string) => Promise<string | null>;
  /** Claims it for a project, if it is nobody's yet. Returns whose it is now. */
  readonly claim: (behalf: Behalf, vif: string, projectId: string) => Promise<string | null>;
}
