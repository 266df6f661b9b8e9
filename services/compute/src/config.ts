import { hostname } from 'node:os';
import { Type } from '@sinclair/typebox';
import { type ConfigOf, contextKeysVariable, partVariables, type Variables } from '@tenure/process';

const Seconds = Type.Number({ minimum: 0.1, maximum: 86_400 });
const Url = Type.String({
  pattern: '^https?://[^/?#]+$',
  description: 'http://host:port without a path',
});

/** Every variable that the compute service reads. */
export const COMPUTE_VARIABLES = {
  ...partVariables('compute'),
  contextKeysDir: contextKeysVariable,
  inventoryUrl: {
    env: 'INVENTORY_URL',
    schema: Url,
    fallback: 'http://127.0.0.1:8182',
    about: 'where the inventory is',
  },
  allocationUrl: {
    env: 'ALLOCATION_URL',
    schema: Url,
    fallback: 'http://127.0.0.1:8184',
    about: 'where the allocation service is',
  },
  conductorUrl: {
    env: 'CONDUCTOR_URL',
    schema: Url,
    fallback: 'http://127.0.0.1:8183',
    about: 'where a conductor is',
  },
  timeoutMs: {
    env: 'COMPUTE_CALL_TIMEOUT_MS',
    schema: Type.Integer({ minimum: 100, maximum: 9000 }),
    fallback: 8000,
    about: 'milliseconds until a call to another part counts as failed',
  },
  replica: {
    env: 'COMPUTE_REPLICA',
    schema: Type.String({ minLength: 1, maxLength: 255 }),
    fallback: hostname(),
    about: 'name of this replica, the same after a restart and different from every other',
  },
  workers: {
    env: 'COMPUTE_WORKERS',
    schema: Type.Integer({ minimum: 1, maximum: 256 }),
    fallback: 16,
    about: 'servers looked at by this replica at once',
  },
  pollSeconds: {
    env: 'COMPUTE_POLL_SECONDS',
    schema: Seconds,
    fallback: 3,
    about: 'longest pause between two looks at a server that something is under way for',
  },
  recoverySeconds: {
    env: 'COMPUTE_RECOVERY_SECONDS',
    schema: Seconds,
    fallback: 5,
    about: 'seconds between looks for servers whose task nobody has in hand',
  },
  watchSeconds: {
    env: 'COMPUTE_WATCH_SECONDS',
    schema: Seconds,
    fallback: 60,
    about: 'seconds between looks at the machines of servers that nothing is done with',
  },
  buildSeconds: {
    env: 'COMPUTE_BUILD_TIMEOUT_SECONDS',
    schema: Seconds,
    fallback: 3600,
    about: 'seconds after which a build, rebuild or rescue that has not ended fails',
  },
  deleteSeconds: {
    env: 'COMPUTE_DELETE_TIMEOUT_SECONDS',
    schema: Seconds,
    fallback: 1800,
    about: 'seconds after which a server that could not be torn down is in error',
  },
  powerSeconds: {
    env: 'COMPUTE_POWER_TIMEOUT_SECONDS',
    schema: Seconds,
    fallback: 600,
    about: 'seconds after which a start, stop or reboot that has not ended fails',
  },
  shutdownSeconds: {
    env: 'COMPUTE_SHUTDOWN_SECONDS',
    schema: Type.Integer({ minimum: 1, maximum: 3600 }),
    fallback: 60,
    about: 'seconds that an operating system has to shut down before its machine is switched off',
  },
} as const satisfies Variables;

export type ComputeConfig = ConfigOf<typeof COMPUTE_VARIABLES>;
