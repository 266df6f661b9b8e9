import { type PolicyFiles, printPolicyFiles, readPolicyFiles } from '@tenure/policy/runtime';
import { type PolicySource } from '../ports/policy-source.js';

/** A policy in files. */
export const createFilePolicySource = (files: PolicyFiles): PolicySource => ({
  read: () => readPolicyFiles(files),
  fingerprint: () => printPolicyFiles(files),
});
