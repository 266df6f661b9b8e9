import path from 'node:path';
import { Type } from '@sinclair/typebox';
import { type Environment, type Variables } from '@tenure/process';

const OptionalText = Type.Unsafe<string | undefined>({ type: 'string', minLength: 1 });
// No user and password: a URL appears in logs.
const OptionalUrl = Type.Unsafe<string | undefined>({
  type: 'string',
  pattern: '^https?://[^/@\\s]+(/\\S*)?$',
  description: 'an http or https URL without user and password',
});

/** Variables for the source of bundles and the requirements on them. */
export const bundleVariables = {
  bundle: {
    env: 'PDP_BUNDLE',
    schema: OptionalText,
    fallback: undefined,
    about:
      'bundle (.tar.gz), or a directory with bundle.tar.gz, or with policy.wasm and data.json; required unless PDP_BUNDLE_URL is set',
  },
  bundleUrl: {
    env: 'PDP_BUNDLE_URL',
    schema: OptionalUrl,
    fallback: undefined,
    about: 'bundle on a web server, in place of PDP_BUNDLE; requested with its ETag',
  },
  bundleTokenFile: {
    env: 'PDP_BUNDLE_TOKEN_FILE',
    schema: OptionalText,
    fallback: undefined,
    about: 'file with the bearer token for that server, read before each request',
  },
  bundleDeadlineMs: {
    env: 'PDP_BUNDLE_DEADLINE_MS',
    schema: Type.Integer({ minimum: 10, maximum: 60_000 }),
    fallback: 5000,
    about: 'longest time that fetching a bundle may take',
  },
  bundleMaxBytes: {
    env: 'PDP_BUNDLE_MAX_BYTES',
    schema: Type.Integer({ minimum: 1024, maximum: 33_554_432 }),
    fallback: 33_554_432,
    about: 'maximum size of a fetched bundle',
  },
  bundleKeys: {
    env: 'PDP_BUNDLE_KEYS',
    schema: Type.Array(Type.String({ minLength: 1 }), { maxItems: 16 }),
    fallback: [],
    about:
      'comma-separated PEM files of public keys (RSA: RS256, EC P-256: ES256), or ID=FILE; set, a bundle must be signed by one of them',
  },
  bundleRequireCertificate: {
    env: 'PDP_BUNDLE_REQUIRE_CERTIFICATE',
    schema: Type.Boolean(),
    fallback: false,
    about: 'a bundle must hold an isolation certificate, signed by one of PDP_BUNDLE_KEYS',
  },
  bundleHistory: {
    env: 'PDP_BUNDLE_HISTORY',
    schema: Type.Integer({ minimum: 2, maximum: 1000 }),
    fallback: 10,
    about: 'number of loaded bundles that are kept for a rollback, with their history',
  },
  bundleDir: {
    env: 'PDP_BUNDLE_DIR',
    schema: OptionalText,
    derive: ({ TENURE_DATA_DIR: dataDir }: Environment): string | undefined =>
      dataDir === undefined ? undefined : path.join(dataDir, 'policy'),
    about:
      'directory where they are kept, in one of its own for each PDP_INSTANCE; without it they are forgotten at the end',
  },
  reloadPollMs: {
    env: 'PDP_RELOAD_POLL_MS',
    schema: Type.Integer({ minimum: 0, maximum: 3_600_000 }),
    fallback: 2000,
    about: 'how often bundle and overlays are checked for changes; 0: only on request',
  },
  shadowBundle: {
    env: 'PDP_SHADOW_BUNDLE',
    schema: OptionalText,
    fallback: undefined,
    about:
      'bundle (file, directory or URL) that is evaluated beside the one in service, without effect; differences are counted',
  },
  shadowShare: {
    env: 'PDP_SHADOW_SHARE',
    schema: Type.Number({ minimum: 0, maximum: 1 }),
    fallback: 1,
    about: 'share of the decisions that the shadow evaluates, too',
  },
  adminTokenFile: {
    env: 'PDP_ADMIN_TOKEN_FILE',
    schema: OptionalText,
    fallback: undefined,
    about:
      'bearer tokens for /v1/policy/… on the admin port, one a line; without it those are served on loopback only',
  },
} as const satisfies Variables;
