import { readFileSync } from 'node:fs';
import { DEFAULT_KEY_ID, type PinnedKey, pinnedKeyOf } from '@tenure/policy';
import { type BundleTrust, openBundle } from '@tenure/policy/runtime';
import { type BundleOpener } from '../ports/policy-source.js';

const NAMED = /^([A-Za-z0-9._-]{1,128})=(.+)$/u;

/**
 * Reads the keys that bundles may be signed with.
 * @param entries files with a public key in PEM each, or `ID=FILE` when signatures name the key otherwise than `default`
 * @throws Error when one cannot be read, is no such key, or two have one name
 */
export function pinsOf(entries: readonly string[]): readonly PinnedKey[] {
  const pins = entries.map(pinOf);
  const twice = pins.find(({ id }, at) => pins.findIndex((pin) => pin.id === id) !== at);
  if (twice !== undefined)
    throw new Error(`PDP_BUNDLE_KEYS has two keys ${twice.id}; name them, as in ID=FILE`);
  return pins;
}

/** Opens bundles that fulfil `trust`. @param trust called for each bundle: keys may be replaced */
export const bundleOpener =
  (trust: () => BundleTrust): BundleOpener =>
  ({ bundle, overlays }) =>
    openBundle(bundle, trust(), overlays);

function pinOf(entry: string): PinnedKey {
  const [, id = DEFAULT_KEY_ID, file = entry] = NAMED.exec(entry) ?? [];
  return pinnedKeyOf(readFileSync(file), id);
}
