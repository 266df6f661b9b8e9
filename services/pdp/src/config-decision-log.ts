import { hostname } from 'node:os';
import { Type } from '@sinclair/typebox';
import { decisionLogDir, signingKeyFile } from '@tenure/decision-log';
import { type Environment, type Variables } from '@tenure/process';

const OptionalText = Type.Unsafe<string | undefined>({ type: 'string', minLength: 1 });
const OptionalUrl = Type.Unsafe<string | undefined>({ type: 'string', pattern: '^https?://' });
const Sink = Type.Union([Type.Literal('files'), Type.Literal('stdout'), Type.Literal('none')], {
  description: 'files, stdout or none',
});
const Mode = Type.Union([Type.Literal('spool'), Type.Literal('strict')], {
  description: 'spool or strict',
});

const belowDataDir =
  (place: (dataDir: string) => string) =>
  ({ TENURE_DATA_DIR: dataDir }: Environment): string | undefined =>
    dataDir === undefined ? undefined : place(dataDir);

/** Variables of the decision log. */
export const decisionLogVariables = {
  decisionLog: {
    env: 'PDP_DECISION_LOG',
    schema: Type.Array(Sink, { minItems: 1, maxItems: 2 }),
    derive: ({ TENURE_DATA_DIR }: Environment) => [
      TENURE_DATA_DIR === undefined ? 'stdout' : 'files',
    ],
    about: 'where every answer is recorded: files, stdout, both with a comma, or none',
  },
  decisionLogMode: {
    env: 'PDP_DECISION_LOG_MODE',
    schema: Mode,
    fallback: 'strict',
    about:
      'strict: an answer is given once its record is written, and refused (503) when it cannot be; spool: records may wait in memory',
  },
  decisionLogSync: {
    env: 'PDP_DECISION_LOG_SYNC',
    schema: Type.Boolean(),
    fallback: false,
    about: 'a record counts as written once it is on the disk, not only with the operating system',
  },
  decisionLogDir: {
    env: 'PDP_DECISION_LOG_DIR',
    schema: OptionalText,
    derive: belowDataDir(decisionLogDir),
    about: 'directory of the files; a directory of its own in it for each instance',
  },
  decisionLogKeyFile: {
    env: 'PDP_DECISION_LOG_KEY_FILE',
    schema: OptionalText,
    derive: belowDataDir(signingKeyFile),
    about:
      'PEM file with the EC key (P-256) that signs the files, made when missing; older keys may follow in it',
  },
  instance: {
    env: 'PDP_INSTANCE',
    schema: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$' }),
    derive: () => hostname(),
    about: 'name of this instance in the decision log',
  },
  decisionLogSegmentBytes: {
    env: 'PDP_DECISION_LOG_SEGMENT_BYTES',
    schema: Type.Integer({ minimum: 4096, maximum: 1_073_741_824 }),
    fallback: 67_108_864,
    about: 'size at which a file is closed, sealed and followed by the next',
  },
  decisionLogKeepDays: {
    env: 'PDP_DECISION_LOG_KEEP_DAYS',
    schema: Type.Integer({ minimum: 1, maximum: 3650 }),
    fallback: 14,
    about: 'days that a record is kept at least; files that a receiver lacks stay longer',
  },
  decisionLogSpaceBytes: {
    env: 'PDP_DECISION_LOG_SPACE_BYTES',
    schema: Type.Integer({ minimum: 1_048_576, maximum: 1_125_899_906_842_624 }),
    fallback: 34_359_738_368,
    about:
      'maximum bytes of the files of an instance; at the limit, questions are refused (503) and no young record is removed',
  },
  decisionLogProjectBytesPerDay: {
    env: 'PDP_DECISION_LOG_PROJECT_BYTES_PER_DAY',
    schema: Type.Integer({ minimum: 0, maximum: 1_125_899_906_842_624 }),
    fallback: 0,
    about:
      'maximum bytes of records of one project in a day at each instance, then its questions are refused (429); 0: half of the space of a day',
  },
  decisionLogMemoryBytes: {
    env: 'PDP_DECISION_LOG_MEMORY_BYTES',
    schema: Type.Integer({ minimum: 1_048_576, maximum: 4_294_967_296 }),
    fallback: 33_554_432,
    about: 'records that may wait in memory; beyond it questions are refused (503)',
  },
  decisionLogDeadlineMs: {
    env: 'PDP_DECISION_LOG_DEADLINE_MS',
    schema: Type.Integer({ minimum: 10, maximum: 10_000 }),
    fallback: 1000,
    about: 'longest time that an answer waits for its record in strict mode',
  },
  decisionLogMasks: {
    env: 'PDP_DECISION_LOG_MASKS',
    schema: OptionalText,
    fallback: undefined,
    about:
      'JSON file: list of pointers below /input that are not recorded, or of {op: upsert, path, value}',
  },
  decisionLogHttpUrl: {
    env: 'PDP_DECISION_LOG_HTTP_URL',
    schema: OptionalUrl,
    fallback: undefined,
    about: 'service that the records in the files are sent on to, by POST to URL/logs as OPA does',
  },
  decisionLogHttpTokenFile: {
    env: 'PDP_DECISION_LOG_HTTP_TOKEN_FILE',
    schema: OptionalText,
    fallback: undefined,
    about: 'file with the bearer token for that service',
  },
  decisionLogMongodbUri: {
    env: 'PDP_DECISION_LOG_MONGODB_URI',
    schema: OptionalText,
    fallback: undefined,
    about:
      'MongoDB that the records in the files are sent on to, collection decisions; better …_URI_FILE',
  },
  decisionLogMongodbUriFile: {
    env: 'PDP_DECISION_LOG_MONGODB_URI_FILE',
    schema: OptionalText,
    fallback: undefined,
    about: 'file with that URI, so that its password is not in the environment',
  },
  decisionLogMongodbTlsCaFile: {
    env: 'PDP_DECISION_LOG_MONGODB_TLS_CA_FILE',
    schema: OptionalText,
    fallback: undefined,
    about: 'PEM file of the authorities to trust for this MongoDB; TLS is on when it is set',
  },
  decisionLogMongodbDatabase: {
    env: 'PDP_DECISION_LOG_MONGODB_DATABASE',
    schema: Type.String({ minLength: 1, maxLength: 63 }),
    fallback: 'tenure',
    about: 'its database',
  },
  decisionLogFlushMs: {
    env: 'PDP_DECISION_LOG_FLUSH_MS',
    schema: Type.Integer({ minimum: 1, maximum: 60_000 }),
    fallback: 200,
    about: 'longest time that a line for stdout waits in memory',
  },
} as const satisfies Variables;
