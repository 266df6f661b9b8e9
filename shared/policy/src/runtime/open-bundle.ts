import { CERTIFICATE_FILE, type IsolationCertificate, verifyCertificate } from '../certificate.js';
import { PolicyRefused } from '../failures.js';
import { GOLDEN_FILE, parseGolden } from '../golden.js';
import { jsonIn } from '../json-object.js';
import { type PinnedKey } from '../jws.js';
import { type OpenedBundle } from '../opened-bundle.js';
import { type Overlay } from '../overlays.js';
import { policyDataOf } from '../policy-material.js';
import { provenanceOf } from '../provenance.js';
import { bundleFilesOf } from './bundle-archive.js';
import { type BundleEntries, MANIFEST_FILE, textIn } from './bundle-entries.js';
import { verifyBundle } from './bundle-signature.js';

/** Requirements for accepting a bundle. */
export interface BundleTrust {
  /** With any, a bundle must be signed by one of them; with none, signatures are not looked at. */
  readonly keys: readonly PinnedKey[];
  /** A bundle must hold an isolation certificate for just what it is loaded with. */
  readonly requireCertificate: boolean;
}

interface Certified {
  readonly wasm: Uint8Array;
  readonly data: unknown;
  readonly overlays: readonly Overlay[];
}

/**
 * Verifies a bundle and takes it apart.
 * @param overlays those that it will be loaded with
 * @throws PolicyRefused for a signature or certificate that is missing or not good, or files that are missing or unusable
 */
export function openBundle(
  entries: BundleEntries,
  trust: BundleTrust,
  overlays: readonly Overlay[],
): OpenedBundle {
  const signedBy = trust.keys.length > 0 ? verifyBundle(entries, { keys: trust.keys }) : undefined;
  const { wasm, dataText } = bundleFilesOf(entries);
  const data = jsonIn("the bundle's data.json", dataText);
  const golden = textIn(entries, GOLDEN_FILE);
  const manifest = textIn(entries, MANIFEST_FILE);
  return {
    wasm,
    data,
    golden: golden === undefined ? [] : parseGolden(golden),
    provenance: provenanceOf(
      manifest === undefined ? {} : jsonIn("the bundle's .manifest", manifest),
    ),
    signedBy,
    certificate: certificateIn(entries, trust, { wasm, data, overlays }),
  };
}

/**
 * Verifies the certificate of a bundle against the bundle with the overlays that it is loaded with. Unless a certificate is
 * required, it may also match the bundle without overlays; it then proves nothing about the operator's overlays.
 */
function certificateIn(
  entries: BundleEntries,
  { keys, requireCertificate }: BundleTrust,
  { wasm, data, overlays }: Certified,
): IsolationCertificate | undefined {
  const text = textIn(entries, CERTIFICATE_FILE);
  if (text === undefined) {
    if (requireCertificate)
      throw new PolicyRefused(`the bundle has no certificate (${CERTIFICATE_FILE})`);
    return undefined;
  }
  if (keys.length === 0) return undefined;
  const loaded = { wasm, data: policyDataOf({ data, overlays }, {}) };
  if (requireCertificate || overlays.length === 0) return verifyCertificate(text, keys, loaded);
  try {
    return verifyCertificate(text, keys, loaded);
  } catch {
    const plain = { wasm, data: policyDataOf({ data, overlays: [] }, {}) };
    return verifyCertificate(text, keys, plain);
  }
}
