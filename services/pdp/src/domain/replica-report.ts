import { type Static, Type } from '@sinclair/typebox';
import { Revision } from './policy-wish.js';

const Text = Type.String({ maxLength: 4096 });

/** How one replica stands. */
export const ReplicaReport = Type.Object(
  {
    /** Of the process. */
    id: Type.String({ minLength: 1, maxLength: 64 }),
    instance: Type.String({ maxLength: 256 }),
    revision: Revision,
    pinned: Type.Boolean(),
    since: Text,
    status: Type.Union([Type.Literal('ok'), Type.Literal('degraded')]),
    reason: Type.Optional(Text),
    /** When this was so, by the clock of the replica. */
    at: Text,
  },
  { additionalProperties: false },
);
export type ReplicaReport = Static<typeof ReplicaReport>;

/** What one replica calls out to the others. */
export const ReplicaCall = Type.Union([
  /** There is something new on the board, or in the source. */
  Type.Object({ look: Type.Union([Type.Literal('board'), Type.Literal('source')]) }),
  /** Who has the bundle of this revision? */
  Type.Object({ want: Revision }),
]);
export type ReplicaCall = Static<typeof ReplicaCall>;
