import { type Static, Type } from '@sinclair/typebox';

const Text = Type.String({ maxLength: 256 });

/** Identifies a policy with its overlays and switches. */
export const Revision = Type.String({ pattern: '^sha256:[0-9a-f]{64}$' });

/** The policy that all replicas of the decision point are to have active. */
export const DesiredRevision = Type.Object(
  {
    /** Grows with each command of an operator. */
    generation: Type.Integer({ minimum: 0 }),
    /** The revision that stays active; null: each replica follows its source. */
    pinned: Type.Union([Revision, Type.Null()]),
    at: Text,
    /** The instance that received the command. */
    by: Text,
  },
  { additionalProperties: false },
);
export type DesiredRevision = Static<typeof DesiredRevision>;

/** One order for all replicas, also of two commands that were received at a time by replicas that could not reach each other. */
export function isNewer(desired: DesiredRevision, than: DesiredRevision | undefined): boolean {
  if (than === undefined) return true;
  if (desired.generation !== than.generation) return desired.generation > than.generation;
  if (desired.at !== than.at) return desired.at > than.at;
  return desired.by > than.by;
}

/** A desired revision that is newer than all of these. */
export const desiredAfter = (
  found: readonly (DesiredRevision | undefined)[],
  desired: Omit<DesiredRevision, 'generation'>,
): DesiredRevision => ({
  ...desired,
  generation: Math.max(0, ...found.map((each) => each?.generation ?? 0)) + 1,
});
