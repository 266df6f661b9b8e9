import path from 'node:path';
import {
  certifiedDigest,
  type IsolationCertificate,
  overlayDigest,
  type PolicyMaterial,
} from '@tenure/policy';
import { type LoadedPolicy } from '../policy-options.js';
import { type Assignment, type Examination, scopesFor } from '../verify/examine.js';
import { RELATIONS } from '../verify/targets.js';
import { ROLE_SETS, SWITCHES } from '../verify/vocabulary.js';

/** The content of a certificate, not signed yet. */
export type Proof = Omit<IsolationCertificate, 'format'>;

const TOOL = { name: 'tenure policy prove', version: '0.1.0' } as const;

/**
 * The proof of an examined policy.
 * @param issuedAt RFC 3339, UTC
 */
export const proofOf = (
  policy: LoadedPolicy,
  { actions, settings }: Assignment,
  { questions, findings }: Examination,
  issuedAt: string,
): Proof => ({
  policy: certifiedDigest(policy.material.wasm, policy.data),
  revision: policy.revision,
  overlays: overlaysOf(policy.material),
  switches: [...SWITCHES],
  model: {
    questions,
    actions: actions.length,
    scopes: scopesFor(policy).length,
    role_sets: ROLE_SETS.length,
    relations: RELATIONS.length,
    switch_combinations: settings.length,
  },
  invariants: findings.map(({ name, sentence, looked, broken }) => ({
    name,
    sentence,
    looked,
    broken,
  })),
  issued_at: issuedAt,
  tool: TOOL,
});

/** Whether every invariant holds, and examined at least one answer. */
export const holds = ({ invariants }: Proof): boolean =>
  invariants.every(({ looked, broken }) => broken === 0 && looked > 0);

const overlaysOf = ({ overlays }: PolicyMaterial): Proof['overlays'] =>
  overlays.map(({ file, text }) => ({ file: path.basename(file), sha256: overlayDigest(text) }));
