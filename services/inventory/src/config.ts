import { Type } from '@sinclair/typebox';
import { custodyKeyFile } from '@tenure/decision-log';
import { BMC_VARIABLES, KEYSTONE_VARIABLES, OPENSTACK_DEADLINE, OpenStackUrl } from '@tenure/http';
import {
  contextKeysVariable,
  type Environment,
  partVariables,
  type Variable,
} from '@tenure/process';
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
    about: 'Cinder, which then says whose a volume is; none: who uses it first has it',
  },
  openstackDeadlineMs: OPENSTACK_DEADLINE,
  ...BMC_VARIABLES,
  conductorKeepSeconds: {
    env: 'INVENTORY_CONDUCTOR_KEEP_SECONDS',
    schema: Type.Integer({ minimum: 60, maximum: 315_360_000 }),
    fallback: 604_800,
    about:
      'seconds after which a conductor that is not heard of any more, and holds no lock, is forgotten',
  },
} as const satisfies Record<string, Variable>;
