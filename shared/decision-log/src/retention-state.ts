import { type Static, Type } from '@sinclair/typebox';

/** The file in an instance's directory that says how its log is kept, and how much of its share each account has used. */
export const RETENTION_FILE = 'retention.json';

const Bytes = Type.Integer({ minimum: 0 });
const Moment = Type.String({ maxLength: 64 });

/** How the log of an instance stands. Written by the decision point, also to know after a restart what was used. */
export const RetentionState = Type.Object({
  at: Moment,
  keep_seconds: Type.Number({ minimum: 0 }),
  space_bytes: Bytes,
  reserve_bytes: Bytes,
  disk_free_bytes: Bytes,
  /** The share of a project without a limit of its own. */
  project_bytes_per_day: Bytes,
  bytes: Bytes,
  segments: Bytes,
  /** Older than records are kept, and there because a receiver has not got them. */
  held_segments: Bytes,
  oldest: Type.Union([Moment, Type.Null()]),
  accounts: Type.Array(
    Type.Object({
      /** `project:ID`, `user:ID` or `others`. */
      account: Type.String({ maxLength: 300 }),
      used: Bytes,
      /** Bytes a day; null is no limit. */
      limit: Type.Union([Bytes, Type.Null()]),
    }),
    { maxItems: 20_000 },
  ),
});
export type RetentionState = Static<typeof RetentionState>;
