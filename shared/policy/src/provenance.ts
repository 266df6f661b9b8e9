import { type Static, Type } from '@sinclair/typebox';
import { matches } from '@tenure/contracts';
import { memberOf } from './json-object.js';

const Text = Type.String({ maxLength: 1024 });
const Count = Type.Integer({ minimum: 0 });

/** How a bundle was built: `metadata.tenure` of its manifest. Only as trustworthy as the signature of the bundle. */
const BuildFacts = Type.Object({
  compiler: Type.Optional(Type.Object({ name: Text, version: Text, target: Type.Optional(Text) })),
  /** Absent when the rules are not those that the tests are for. */
  tests: Type.Optional(Type.Object({ passed: Count, failed: Count })),
  /** Percent of the rules' lines that the tests ran. */
  coverage: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
  /** Digest of the sources that it was compiled from. */
  sources: Type.Optional(Text),
});
export type BuildFacts = Static<typeof BuildFacts>;

/** Where a policy comes from, as the bundle's manifest says it. */
export interface Provenance {
  /** The manifest's own revision; undefined when it has none. */
  readonly revision: string | undefined;
  readonly roots: readonly string[];
  readonly build: BuildFacts | undefined;
}

/** @param manifest content of `.manifest`; anything */
export function provenanceOf(manifest: unknown): Provenance {
  const revision = memberOf(manifest, 'revision');
  const roots = memberOf(manifest, 'roots');
  const build = memberOf(memberOf(manifest, 'metadata'), 'tenure');
  return {
    revision: typeof revision === 'string' && revision !== '' ? revision : undefined,
    roots: Array.isArray(roots) ? roots.map(String) : [],
    build: matches(BuildFacts, build) ? build : undefined,
  };
}
