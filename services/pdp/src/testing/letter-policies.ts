import { CaseFailed, PolicyRefused } from '@tenure/policy';
import { type PolicyLoader, type VerifiedPolicy } from '../application/activation/loader.js';
import { type PolicyParts } from '../ports/policy-source.js';

/** A bundle whose revision is the first letter of its only file, sixty-four times; `!` at the end makes it bad. */
export const partsOf = (text: string): PolicyParts => ({
  bundle: new Map([['name', Buffer.from(text)]]),
  overlays: [],
});

export const letterRevision = (text: string): string => `sha256:${(text[0] ?? '').repeat(64)}`;

/** Verified parts with an empty bundle. */
export const verifiedAs = (revision: string, parts: PolicyParts): VerifiedPolicy => ({
  parts,
  opened: {
    wasm: new Uint8Array(),
    data: {},
    golden: [],
    provenance: { revision: undefined, roots: [], build: undefined },
    signedBy: undefined,
    certificate: undefined,
  },
  data: {},
  revision,
});

/** @param refused texts that only this loader refuses */
export const letterLoader = (refused: ReadonlySet<string> = new Set()): PolicyLoader => ({
  verify: (parts) => {
    const text = textOf(parts);
    if (text === 'unsigned') throw new PolicyRefused('it is not signed');
    return verifiedAs(letterRevision(text), parts);
  },
  prepare: ({ parts, revision }) => {
    const text = textOf(parts);
    if (text.endsWith('!') || refused.has(text))
      return Promise.reject(new CaseFailed('owners see', 'owners do not see'));
    const engine = { evaluate: () => undefined, lastCost: () => 0, memoryPages: () => 0 };
    return Promise.resolve({ engine, revision, actions: {}, resources: {} });
  },
});

const textOf = ({ bundle }: PolicyParts): string =>
  Buffer.from(bundle.get('name') ?? new Uint8Array()).toString('utf8');
