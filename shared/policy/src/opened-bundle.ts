import { type IsolationCertificate } from './certificate.js';
import { type GoldenDecision } from './golden.js';
import { type Provenance } from './provenance.js';

/** A bundle with verified signature and certificate. Its policy is not evaluated yet. */
export interface OpenedBundle {
  readonly wasm: Uint8Array;
  readonly data: unknown;
  readonly golden: readonly GoldenDecision[];
  readonly provenance: Provenance;
  /** Id of the key that signed it; undefined when signatures were not verified. */
  readonly signedBy: string | undefined;
  /** Undefined when there is none, or no key to verify it with. */
  readonly certificate: IsolationCertificate | undefined;
}
