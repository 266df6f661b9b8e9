import { type Static, Type } from '@sinclair/typebox';
import { Revision } from './desired-revision.js';

const Text = Type.String({ maxLength: 4096 });

/** The status of one replica. */
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
    /** Time of the report, by the clock of the replica. */
    at: Text,
  },
  { additionalProperties: false },
);
export type ReplicaReport = Static<typeof ReplicaReport>;

/** A message from one replica to the others. */
export const ReplicaMessage = Type.Union([
  /** The registry has changed, or the source. */
  Type.Object({ look: Type.Union([Type.Literal('registry'), Type.Literal('source')]) }),
  /** A request for the bundle of this revision. */
  Type.Object({ want: Revision }),
]);
export type ReplicaMessage = Static<typeof ReplicaMessage>;
