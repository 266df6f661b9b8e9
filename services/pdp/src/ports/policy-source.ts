/** An operator's change to the action table, as it was read. */
interface OverlayText {
  /** As the operator named it. */
  readonly file: string;
  readonly text: string;
}

/** Everything a policy is made of, unchecked. */
export interface PolicyMaterial {
  readonly wasm: Uint8Array;
  readonly data: unknown;
  readonly overlays: readonly OverlayText[];
}

/** Where the policy comes from. */
export interface PolicySource {
  /** @throws PolicyRefused when something is missing, unreadable or too large */
  readonly read: () => Promise<PolicyMaterial>;
  /** Changes when what `read` would give may have changed. */
  readonly fingerprint: () => Promise<string>;
}
