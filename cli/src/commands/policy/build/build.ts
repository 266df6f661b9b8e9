import path from 'node:path';
import {
  canonicalJson,
  CERTIFICATE_FILE,
  isJsonObject,
  jsonIn,
  type JsonObject,
  memberOf,
  overlayDigest,
  policyDataOf,
  PolicyRefused,
  revisionOf,
  type SwitchValues,
} from '@tenure/policy';
import {
  type BundleEntries,
  DATA_FILE,
  MANIFEST_FILE,
  materialOf,
  textIn,
} from '@tenure/policy/runtime';

/** The parts of a bundle. */
export interface Ingredients {
  /** The bundle to merge into. */
  readonly entries: BundleEntries;
  readonly overlays: readonly string[];
  readonly switches: SwitchValues;
  /** Text of a certificate of isolation; undefined leaves the bundle without one. */
  readonly certificate: string | undefined;
}

export interface BuiltBundle {
  readonly entries: BundleEntries;
  readonly wasm: Uint8Array;
  /** With overlays and switches. */
  readonly data: JsonObject;
  /** The revision that the decision point reports while its environment sets no switch. */
  readonly revision: string;
}

/**
 * A bundle with overlays and switches merged into its data. The result is reproducible. The signature and the
 * certificate of the input bundle are removed, because they are not valid for the new one.
 * @throws PolicyRefused for a bundle, an overlay or a switch that cannot be used
 */
export async function buildBundle(ingredients: Ingredients): Promise<BuiltBundle> {
  const { entries, switches, certificate } = ingredients;
  const material = await materialOf(entries, ingredients.overlays);
  const data = policyDataOf(material, switches);
  const revision = revisionOf(material.wasm, data);
  const before = manifestIn(entries);
  const added = material.overlays.map(({ file, text }) => ({
    file: path.basename(file),
    sha256: overlayDigest(text),
  }));
  const tenure = { overlays: [...earlierOverlays(before), ...added] };
  const manifest = { ...before, revision, metadata: { ...metadataOf(before), tenure } };
  const built = new Map(entries);
  built.set(DATA_FILE, json(data)).set(MANIFEST_FILE, json(manifest));
  built.delete('.signatures.json');
  built.delete(CERTIFICATE_FILE);
  if (certificate !== undefined) built.set(CERTIFICATE_FILE, Buffer.from(certificate));
  return { entries: built, wasm: material.wasm, data, revision };
}

function manifestIn(entries: BundleEntries): JsonObject {
  const text = textIn(entries, MANIFEST_FILE);
  const parsed = text === undefined ? { roots: [''] } : jsonIn("the bundle's .manifest", text);
  if (!isJsonObject(parsed)) throw new PolicyRefused("the bundle's .manifest is no object");
  return parsed;
}

/** Overlays of earlier builds stay listed, because the data still contains them. */
function earlierOverlays(manifest: JsonObject): readonly unknown[] {
  const overlays = memberOf(memberOf(manifest['metadata'], 'tenure'), 'overlays');
  return Array.isArray(overlays) ? overlays : [];
}

function metadataOf(manifest: JsonObject): JsonObject {
  const { metadata } = manifest;
  return isJsonObject(metadata) ? metadata : {};
}

const json = (value: unknown): Buffer => Buffer.from(`${canonicalJson(value)}\n`);
