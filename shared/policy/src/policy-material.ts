import { type JsonObject } from './json-object.js';
import { type Overlay, withOverlays } from './overlays.js';
import { type SwitchValues, withSwitches } from './policy-data.js';

/** Everything a policy is made of, unchecked. */
export interface PolicyMaterial {
  readonly wasm: Uint8Array;
  readonly data: unknown;
  readonly overlays: readonly Overlay[];
  /** The rules in Rego by file name, as the bundle has them, to be read: what is evaluated is `wasm`. */
  readonly sources: Readonly<Record<string, string>>;
}

/**
 * The data that a policy is loaded with: overlays first, then switches.
 * @throws PolicyRefused for unusable data, a bad overlay or an unknown switch
 */
export const policyDataOf = (
  { data, overlays }: Pick<PolicyMaterial, 'data' | 'overlays'>,
  switches: SwitchValues,
): JsonObject => withSwitches(withOverlays(data, overlays), switches);
