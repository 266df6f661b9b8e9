import { type Static, Type } from '@sinclair/typebox';

const Text = Type.String({ maxLength: 256 });

/** Identifies a policy with its overlays and switches. */
export const Revision = Type.String({ pattern: '^sha256:[0-9a-f]{64}$' });

/** What the replicas of the decision point were told last. */
export const PolicyWish = Type.Object(
  {
    /** Grows with each wish. */
    generation: Type.Integer({ minimum: 0 }),
    /** The revision that was rolled back to, and stays; null: everybody follows their source. */
    pinned: Type.Union([Revision, Type.Null()]),
    at: Text,
    /** The instance that was told. */
    by: Text,
  },
  { additionalProperties: false },
);
export type PolicyWish = Static<typeof PolicyWish>;

/** In the one order that all replicas agree on, also when two were told at a time and could not know of one another. */
export const isNewer = (wish: PolicyWish, than: PolicyWish | undefined): boolean => {
  if (than === undefined) return true;
  if (wish.generation !== than.generation) return wish.generation > than.generation;
  if (wish.at !== than.at) return wish.at > than.at;
  return wish.by > than.by;
};

/** A wish that is newer than all of these. */
export const wishAfter = (
  known: readonly (PolicyWish | undefined)[],
  wish: Omit<PolicyWish, 'generation'>,
): PolicyWish => ({
  ...wish,
  generation: Math.max(0, ...known.map((each) => each?.generation ?? 0)) + 1,
});
