import { Type } from '@sinclair/typebox';
import { custodyKeyFile } from '@tenure/decision-log';
import { BMC_VARIABLES, KEYSTONE_VARIABLES, OPENSTACK_DEADLINE, OpenStackUrl } from '@tenure/http';
import {
  type ConfigOf,
  contextKeysVariable,
  type Environment,
  partVariables,
  type Variable,
} from '@tenure/process';
import { DEFAULT_LIST_BYTES } from './application/bounded-pages.js';
import { STORE_VARIABLES } from './config-store.js';

/** The inventory's environment variables. */
export const VARIABLES = {
  ...partVariables('inventory'),
  contextKeysDir: contextKeysVariable,
  ...STORE_VARIABLES,
  custodyKeyFile: {
    env: 'TENURE_CUSTODY_KEY_FILE',
    schema: Type.String({ minLength: 1 }),
    derive: ({ TENURE_DATA_DIR }: Environment) =>
      custodyKeyFile(TENURE_DATA_DIR ?? STORE_VARIABLES.dataDir.fallback),
    about:
      'PEM file with the EC key (P-256) that signs handovers, made when missing; older keys may follow in it',
  },
  ...KEYSTONE_VARIABLES,
  cinderUrl: {
    env: 'CINDER_URL',
    schema: OpenStackUrl,
    fallback: '',
    about:
      'URL of Cinder, where the project of a volume is looked up; none: it belongs to the first project that uses it',
  },
  openstackDeadlineMs: OPENSTACK_DEADLINE,
  listBytes: {
    env: 'INVENTORY_LIST_BYTES',
    schema: Type.Integer({ minimum: 65_536, maximum: 67_108_864 }),
    fallback: DEFAULT_LIST_BYTES,
    about:
      'maximum bytes of a list page, as its rows are stored; a page that would exceed it is shorter',
  },
  readers: {
    env: 'INVENTORY_READERS',
    schema: Type.Integer({ minimum: 0, maximum: 16 }),
    fallback: 2,
    about: 'worker threads that read lists, so that no other request waits for a list; 0: none',
  },
  readerQueue: {
    env: 'INVENTORY_READER_QUEUE',
    schema: Type.Integer({ minimum: 1, maximum: 10_000 }),
    fallback: 256,
    about: 'queued lists of all projects; then 503',
  },
  readerDeadlineMs: {
    env: 'INVENTORY_READER_DEADLINE_MS',
    // A context is valid for ten seconds and the reader verifies it again; the gateway waits eight seconds.
    schema: Type.Integer({ minimum: 100, maximum: 9000 }),
    fallback: 6000,
    about:
      'deadline of a list in milliseconds; then 503, and a reader that works on one for longer is replaced',
  },
  ...BMC_VARIABLES,
  conductorKeepSeconds: {
    env: 'INVENTORY_CONDUCTOR_KEEP_SECONDS',
    schema: Type.Integer({ minimum: 60, maximum: 315_360_000 }),
    fallback: 604_800,
    about:
      'seconds without heartbeat after which the record of a conductor without a lock is removed',
  },
} as const satisfies Record<string, Variable>;

export type InventoryConfig = ConfigOf<typeof VARIABLES>;
