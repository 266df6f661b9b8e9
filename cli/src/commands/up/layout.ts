import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ADMIN_PORT_OFFSET, DEFAULT_PORTS } from '@tenure/contracts';
import { type Environment } from '@tenure/process';
import { contextKeysDir } from './context-keys.js';

/** One part as `tenure up` runs it. */
export interface PartPlan {
  readonly name: RunnablePart;
  readonly script: string;
  readonly port: number;
  readonly adminPort: number;
  readonly env: Environment;
}

export type RunnablePart = 'pdp' | 'inventory' | 'conductor' | 'allocation' | 'compute' | 'gateway';

// Servers before their clients; the gateway last, so that no request is accepted before all parts are ready.
const PARTS_IN_ORDER: readonly RunnablePart[] = [
  'pdp',
  'inventory',
  'conductor',
  'allocation',
  'compute',
  'gateway',
];

const BMC_LOOPBACK = 'CONDUCTOR_BMC_ALLOW_LOOPBACK';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..', '..', '..');

/** Whether the parts of `tenure up` may call BMCs on this machine: yes, unless the environment sets it otherwise. */
export const allowsLocalBmcs = (plans: readonly PartPlan[]): boolean =>
  plans.some(({ env }) =>
    ['true', '1', 'yes', 'on'].includes(env[BMC_LOOPBACK]?.toLowerCase() ?? ''),
  );

/** The program that migrates the inventory's store, and its environment. */
export const migrationPlan = (
  env: Environment,
  dataDir: string,
): { readonly script: string; readonly env: Environment } => ({
  script: path.join(ROOT, folderOf('inventory'), 'dist', 'migrate.js'),
  env: { ...settingsFor('inventory', env), TENURE_DATA_DIR: dataDir },
});

/** The parts to run, in the order in which they start, each with its whole environment. */
export const planParts = (env: Environment, dataDir: string): readonly PartPlan[] =>
  PARTS_IN_ORDER.map((name) => ({
    name,
    script: path.join(ROOT, folderOf(name), 'dist', 'server.js'),
    port: portOf(env, name),
    adminPort: adminPortOf(env, name),
    env: {
      PDP_BUNDLE: path.join(ROOT, 'policies-rego', 'bundle.tar.gz'),
      // All parts stop together, the gateway first, so that no client is left to wait for.
      TENURE_SHUTDOWN_DELAY_MS: '0',
      // `tenure up` is for evaluation: emulated BMCs run on the same machine as the parts.
      [BMC_LOOPBACK]: 'true',
      ...urls(env),
      ...settingsFor(name, env),
      TENURE_DATA_DIR: dataDir,
      TENURE_CONTEXT_KEYS_DIR: contextKeysDir(dataDir, name),
    },
  }));

const folderOf = (part: RunnablePart): string =>
  part === 'gateway' ? 'gateway' : path.join('services', part);

function settingsFor(part: RunnablePart, env: Environment): Environment {
  const secrets = secretsOf(env);
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => secrets.get(name)?.includes(part) ?? true),
  );
}

/** Variables that hold a secret, and the parts that may know it. */
const secretsOf = (env: Environment): ReadonlyMap<string, readonly RunnablePart[]> =>
  new Map([
    ['KEYSTONE_APPLICATION_CREDENTIAL_SECRET', loggingIn(env)],
    ['KEYSTONE_PASSWORD', loggingIn(env)],
    ['MONGODB_URI', ['inventory']],
    ['PDP_DECISION_LOG_MONGODB_URI', ['pdp']],
    ['REDIS_URL', ['gateway', 'pdp']],
  ]);

/** The parts that log in at Keystone: the gateway, and those that look up the project of a resource at an OpenStack service. */
const loggingIn = (env: Environment): readonly RunnablePart[] => [
  'gateway',
  ...((env['NEUTRON_URL'] ?? '') === '' ? [] : (['conductor'] as const)),
  ...((env['CINDER_URL'] ?? '') === '' ? [] : (['inventory'] as const)),
];

const portOf = (env: Environment, part: RunnablePart): number =>
  Number(env[`${part.toUpperCase()}_PORT`] ?? DEFAULT_PORTS[part]);

const adminPortOf = (env: Environment, part: RunnablePart): number =>
  Number(env[`${part.toUpperCase()}_ADMIN_PORT`] ?? portOf(env, part) + ADMIN_PORT_OFFSET);

const urls = (env: Environment): Environment =>
  Object.fromEntries(
    PARTS_IN_ORDER.filter((part) => part !== 'gateway').map((part) => [
      `${part.toUpperCase()}_URL`,
      `http://127.0.0.1:${String(portOf(env, part))}`,
    ]),
  );
