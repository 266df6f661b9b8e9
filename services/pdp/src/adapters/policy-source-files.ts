import {
  type PolicyFiles,
  printPolicyFiles,
  readBundleAt,
  readOverlays,
} from '@tenure/policy/runtime';
import { type PolicySource } from '../ports/policy-source.js';

/** A policy in files. */
export const createFilePolicySource = (files: PolicyFiles): PolicySource => ({
  name: files.bundle,
  isRemote: false,
  read: async () => ({
    bundle: await readBundleAt(files.bundle),
    overlays: await readOverlays(files.overlays),
  }),
  readOverlays: () => readOverlays(files.overlays),
  fingerprint: () => printPolicyFiles(files),
});
