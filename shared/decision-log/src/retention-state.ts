import { type Static, Type } from '@sinclair/typebox';

/** The file in an instance's directory with the retention of its log, and the usage of each account's share. */
export const RETENTION_FILE = 'retention.json';

const Bytes = Type.Integer({ minimum: 0 });
const Moment = Type.String({ maxLength: 64 });

/** State of an instance's log. The decision point writes it, and reads the usage from it after a restart. */
export const RetentionState = Type.Object({
  at: Moment,
  keep_seconds: Type.Number({ minimum: 0 }),
  space_bytes: Bytes,
  reserve_bytes: Bytes,
  disk_free_bytes: Bytes,
  /** The share of a project without its own limit. */
  project_bytes_per_day: Bytes,
  bytes: Bytes,
  segments: Bytes,
  /** Segments that are older than the retention time and stay because a receiver lacks them. */
  retained_segments: Bytes,
  oldest: Type.Union([Moment, Type.Null()]),
  accounts: Type.Array(
    Type.Object({
      /** `project:ID`, `user:ID` or `others`. */
      account: Type.String({ maxLength: 300 }),
      used: Bytes,
      /** Bytes a day; null: no limit. */
      limit: Type.Union([Bytes, Type.Null()]),
    }),
    { maxItems: 20_000 },
  ),
});
export type RetentionState = Static<typeof RetentionState>;
