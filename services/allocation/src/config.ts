import { Type } from '@sinclair/typebox';
import {
  type ConfigOf,
  contextKeysVariable,
  type Environment,
  loadConfig,
  partVariables,
  type Variables,
} from '@tenure/process';

const Seconds = Type.Number({ minimum: 0.1, maximum: 86_400 });

/** Every variable that the allocation service reads. */
export const ALLOCATION_VARIABLES = {
  ...partVariables('allocation'),
  contextKeysDir: contextKeysVariable,
  inventoryUrl: {
    env: 'INVENTORY_URL',
    schema: Type.String({
      pattern: '^https?://[^/?#]+$',
      description: 'http://host:port without a path',
    }),
    fallback: 'http://127.0.0.1:8182',
    about: 'where the inventory is',
  },
  inventoryTimeoutMs: {
    env: 'ALLOCATION_INVENTORY_TIMEOUT_MS',
    schema: Type.Integer({ minimum: 100, maximum: 9000 }),
    fallback: 3000,
    about: 'milliseconds until a call to the inventory counts as failed',
  },
  workers: {
    env: 'ALLOCATION_WORKERS',
    schema: Type.Integer({ minimum: 1, maximum: 256 }),
    fallback: 16,
    about: 'allocations processed at once by this replica',
  },
  recoverySeconds: {
    env: 'ALLOCATION_RECOVERY_SECONDS',
    schema: Seconds,
    fallback: 5,
    about:
      'age at which an unfinished allocation is taken up by any replica; also how often one looks',
  },
  failureTimeoutSeconds: {
    env: 'ALLOCATION_FAILURE_TIMEOUT_SECONDS',
    schema: Seconds,
    fallback: 600,
    about: 'seconds of nothing but failures after which an allocation ends in error',
  },
} as const satisfies Variables;

export type AllocationConfig = ConfigOf<typeof ALLOCATION_VARIABLES>;

/** @throws ConfigError naming every unusable variable */
export const loadAllocationConfig = (env: Environment): AllocationConfig =>
  loadConfig(ALLOCATION_VARIABLES, env);
