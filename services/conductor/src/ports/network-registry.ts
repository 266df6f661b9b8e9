import { type CallContext } from '@tenure/contracts';
import { type VifOwner } from '../domain/vifs.js';

/** Knows whose a virtual interface (VIF) is. */
export interface NetworkRegistry {
  /** @throws UnavailableError when the owner cannot be found out now */
  readonly ownerOf: (context: CallContext, vif: string) => Promise<VifOwner>;
}
