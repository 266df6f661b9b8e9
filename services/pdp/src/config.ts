import { Type } from '@sinclair/typebox';
import { SWITCH_VARIABLES } from '@tenure/policy';
import { partVariables, type Variables } from '@tenure/process';
import { REDIS_VARIABLES } from '@tenure/shared-state';
import { bundleVariables } from './config-bundles.js';
import { decisionLogVariables } from './config-decision-log.js';
import { consoleVariables } from './console/config.js';

const OptionalText = Type.Unsafe<string | undefined>({ type: 'string', minLength: 1 });
const Milliseconds = Type.Integer({ minimum: 1, maximum: 600_000 });
/** Every variable of the policy decision point. */
export const pdpVariables = {
  ...partVariables('pdp'),
  ...bundleVariables,
  overlays: {
    env: 'TENURE_POLICY_OVERLAYS',
    schema: Type.Array(Type.String()),
    fallback: [],
    about:
      'comma-separated files (.json, .yaml) of action: [grant, …] rows that replace the table’s',
  },
  ...SWITCH_VARIABLES,
  deadlineMs: {
    env: 'PDP_DEADLINE_MS',
    schema: Milliseconds,
    fallback: 50,
    about: 'an evaluation that takes longer is stopped and answered as a denial (503)',
  },
  memoryPages: {
    env: 'PDP_MEMORY_PAGES',
    schema: Type.Integer({ minimum: 64, maximum: 65_536 }),
    fallback: 2048,
    about: 'memory the policy may take, in pages of 64 KiB',
  },
  publicUrl: {
    env: 'PDP_PUBLIC_URL',
    schema: Type.Unsafe<string | undefined>({ type: 'string', pattern: '^https?://' }),
    fallback: undefined,
    about:
      'where clients reach this decision point, for the metadata of AuthZEN; unset: host and port',
  },
  ...decisionLogVariables,
  ...consoleVariables,
  ...REDIS_VARIABLES,
  clientTokenFile: {
    env: 'PDP_CLIENT_TOKEN_FILE',
    schema: OptionalText,
    fallback: undefined,
    about: 'bearer tokens that may ask, one a line; required unless PDP_HOST is loopback',
  },
} as const satisfies Variables;
