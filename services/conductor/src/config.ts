import os from 'node:os';
import { Type } from '@sinclair/typebox';
import { contextKeysVariable, partVariables, type Variables } from '@tenure/process';

const Text = Type.String({ minLength: 1, maxLength: 255 });

/** The conductor's environment. */
export const CONDUCTOR_VARIABLES = {
  ...partVariables('conductor'),
  contextKeysDir: contextKeysVariable,
  inventoryUrl: {
    env: 'INVENTORY_URL',
    schema: Type.String({ pattern: '^https?://', description: 'an http or https address' }),
    fallback: 'http://127.0.0.1:8182',
    about: 'address of the inventory',
  },
  hostname: {
    env: 'CONDUCTOR_HOST_NAME',
    schema: Text,
    derive: () => os.hostname(),
    about: 'name under which this conductor takes locks; keep it when the process is restarted',
  },
  conductorGroup: {
    env: 'CONDUCTOR_GROUP',
    schema: Type.String({ maxLength: 255 }),
    fallback: '',
    about: 'conductor group of this conductor',
  },
  powerSyncSeconds: {
    env: 'CONDUCTOR_POWER_SYNC_SECONDS',
    schema: Type.Integer({ minimum: 0, maximum: 86_400 }),
    fallback: 120,
    about: 'seconds between two rounds of reading every power state; 0: never',
  },
  powerChangeSeconds: {
    env: 'CONDUCTOR_POWER_CHANGE_SECONDS',
    schema: Type.Integer({ minimum: 1, maximum: 110 }),
    fallback: 60,
    about: 'seconds that a node is given to reach a power state',
  },
  caDirectory: {
    env: 'CONDUCTOR_CA_DIR',
    schema: Type.String(),
    fallback: '',
    about: 'directory that redfish_verify_ca files must lie in; empty: anywhere',
  },
  agentAllowLoopback: {
    env: 'CONDUCTOR_AGENT_ALLOW_LOOPBACK',
    schema: Type.Boolean(),
    fallback: false,
    about: 'call agents that report a loopback address; for tests only',
  },
  agentTlsRequired: {
    env: 'CONDUCTOR_AGENT_TLS_REQUIRED',
    schema: Type.Boolean(),
    fallback: false,
    about: 'call agents over https only',
  },
} as const satisfies Variables;
