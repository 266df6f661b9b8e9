import { canonicalOutsideId } from './ids.js';

/** Member of a port's or portgroup's `internal_info` that names the VIF attached to it, as Ironic calls it. */
export const ATTACHED_VIF = 'tenant_vif_port_id';

/** The VIF that an `internal_info` names, in its canonical form; null when none is attached. */
export function attachedVifOf(info: unknown): string | null {
  if (typeof info !== 'object' || info === null || !(ATTACHED_VIF in info)) return null;
  const vif = info[ATTACHED_VIF];
  return typeof vif === 'string' ? canonicalOutsideId(vif) : null;
}
