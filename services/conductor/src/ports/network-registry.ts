import { type VifOwner } from '../domain/vifs.js';
import { type Behalf } from './inventory-port.js';

/** Knows whose a virtual interface (VIF) is. */
export interface NetworkRegistry {
  /** @throws UnavailableError when that cannot be known now */
  readonly ownerOf: (behalf: Behalf, vif: string) => Promise<VifOwner>;
}
