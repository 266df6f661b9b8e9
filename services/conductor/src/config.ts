import os from 'node:os';
import path from 'node:path';
import { Type } from '@sinclair/typebox';
import { AdvertisedUrl, DEFAULT_PORTS } from '@tenure/contracts';
import {
  addressBlockProblems,
  assertBmcNetworks,
  BMC_VARIABLES,
  KEYSTONE_VARIABLES,
  OPENSTACK_DEADLINE,
  OpenStackUrl,
} from '@tenure/http';
import {
  ConfigError,
  type ConfigOf,
  contextKeysVariable,
  type Environment,
  loadConfig,
  partVariables,
  type Variables,
} from '@tenure/process';

const PART = partVariables('conductor');
const Text = Type.String({ minLength: 1, maxLength: 255 });

const WILDCARDS: readonly string[] = ['0.0.0.0', '::'];

/** Beside a conductor on its usual port; another one on the same machine takes whatever port is free. */
const MEDIA_PORT = 8193;

const hostNameIn = (env: Environment): string =>
  env['CONDUCTOR_HOST_NAME'] === undefined || env['CONDUCTOR_HOST_NAME'] === ''
    ? os.hostname()
    : env['CONDUCTOR_HOST_NAME'];

/** A separate directory: the owner of a node names files in it and must not reach any other file. */
const caDirectoryOf = ({ TENURE_DATA_DIR: dataDir = '' }: Environment): string =>
  dataDir === '' ? '/etc/tenure/ca' : path.resolve(dataDir, 'ca');

const Bytes = Type.Integer({ minimum: 1_048_576, maximum: 1_099_511_627_776 });

const HALF_AN_HOUR = 1800;
const MAX_TIMEOUT_SECONDS = 604_800;

/** For how long a node may wait for its agent; the names are Ironic's. */
const waitLimit = (name: string, done: string) => ({
  env: `CONDUCTOR_${name}_TIMEOUT_SECONDS`,
  schema: Type.Integer({ minimum: 0, maximum: MAX_TIMEOUT_SECONDS }),
  fallback: HALF_AN_HOUR,
  about: `seconds that a node which is being ${done} waits for its agent while a conductor watches it; 0: for ever`,
});

/** The conductor's environment. */
export const CONDUCTOR_VARIABLES = {
  ...PART,
  contextKeysDir: contextKeysVariable,
  inventoryUrl: {
    env: 'INVENTORY_URL',
    schema: Type.String({ pattern: '^https?://', description: 'an http or https address' }),
    fallback: 'http://127.0.0.1:8182',
    about: 'address of the inventory',
  },
  ...KEYSTONE_VARIABLES,
  neutronUrl: {
    env: 'NEUTRON_URL',
    schema: OpenStackUrl,
    fallback: '',
    about: 'Neutron, which then says whose a VIF is; none: who attaches it first has it',
  },
  openstackDeadlineMs: OPENSTACK_DEADLINE,
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
  heartbeatTimeoutSeconds: {
    env: 'CONDUCTOR_HEARTBEAT_TIMEOUT_SECONDS',
    schema: Type.Integer({ minimum: 5, maximum: 600 }),
    fallback: 60,
    about:
      'seconds without a heartbeat after which this conductor counts as dead; six are sent in that time',
  },
  advertisedUrl: {
    env: 'CONDUCTOR_ADVERTISED_URL',
    schema: AdvertisedUrl,
    derive: (env) => reachedAt(loadConfig({ host: PART.host, port: PART.port }, env)),
    about: 'where the other conductors reach this one: http(s)://host[:port]',
  },
  maxWorkers: {
    env: 'CONDUCTOR_MAX_WORKERS',
    schema: Type.Integer({ minimum: 3, maximum: 100_000 }),
    fallback: 1000,
    about:
      'orders, changes and readings of nodes that are under way together; 5 % are kept for power and abort',
  },
  powerSyncSeconds: {
    env: 'CONDUCTOR_POWER_SYNC_SECONDS',
    schema: Type.Integer({ minimum: 0, maximum: 86_400 }),
    fallback: 120,
    about: 'seconds between two rounds of reading every power state; 0: never',
  },
  powerSyncWorkers: {
    env: 'CONDUCTOR_POWER_SYNC_WORKERS',
    schema: Type.Integer({ minimum: 2, maximum: 1000 }),
    fallback: 32,
    about: 'BMCs that the power sync asks at the same time',
  },
  powerSyncMaxRetries: {
    env: 'CONDUCTOR_POWER_SYNC_MAX_RETRIES',
    schema: Type.Integer({ minimum: 1, maximum: 1000 }),
    fallback: 3,
    about:
      'failures of the power sync in a row that put a node into maintenance, fault "power failure"',
  },
  powerFailureRecoverySeconds: {
    env: 'CONDUCTOR_POWER_FAILURE_RECOVERY_SECONDS',
    schema: Type.Integer({ minimum: 0, maximum: 86_400 }),
    fallback: 300,
    about: 'seconds between two tries to take a node out of that maintenance; 0: never',
  },
  forcePowerState: {
    env: 'CONDUCTOR_FORCE_POWER_STATE_DURING_SYNC',
    schema: Type.Boolean(),
    fallback: false,
    about:
      'whether hardware that differs from its record is set back; otherwise the record follows it',
  },
  powerChangeSeconds: {
    env: 'CONDUCTOR_POWER_CHANGE_SECONDS',
    schema: Type.Integer({ minimum: 1, maximum: 110 }),
    fallback: 60,
    about: 'seconds that a node is given to reach a power state',
  },
  powerUncertainSeconds: {
    env: 'CONDUCTOR_POWER_UNCERTAIN_SECONDS',
    schema: Type.Integer({ minimum: 1, maximum: 60 }),
    fallback: 15,
    about:
      'seconds that the effect of a power command is looked for that may have been sent or not',
  },
  orderTimeoutSeconds: {
    env: 'CONDUCTOR_ORDER_TIMEOUT_SECONDS',
    schema: Type.Integer({ minimum: 60, maximum: MAX_TIMEOUT_SECONDS }),
    fallback: HALF_AN_HOUR,
    about: 'seconds that a conductor works on a provisioning order between two waits for its agent',
  },
  deployCallbackTimeoutSeconds: waitLimit('DEPLOY_CALLBACK', 'deployed'),
  cleanCallbackTimeoutSeconds: waitLimit('CLEAN_CALLBACK', 'cleaned'),
  inspectWaitTimeoutSeconds: waitLimit('INSPECT_WAIT', 'inspected'),
  rescueCallbackTimeoutSeconds: waitLimit('RESCUE_CALLBACK', 'rescued'),
  serviceCallbackTimeoutSeconds: waitLimit('SERVICE_CALLBACK', 'serviced'),
  caDirectory: {
    env: 'CONDUCTOR_CA_DIR',
    schema: Type.String({ pattern: '^/', description: 'an absolute path' }),
    derive: caDirectoryOf,
    about:
      'directory that redfish_verify_ca and agent_verify_ca files must lie in; default ca below TENURE_DATA_DIR, else /etc/tenure/ca',
  },
  ...BMC_VARIABLES,
  agentNetworks: {
    env: 'CONDUCTOR_AGENT_NETWORKS',
    schema: Type.Array(Type.String({ maxLength: 64 }), {
      maxItems: 256,
      description: 'up to 256 IP addresses and CIDR blocks, comma-separated',
    }),
    fallback: [],
    about:
      'addresses and CIDR blocks of the networks in which machines boot by network: a lookup from there gets the token of such a boot, and agents are called there; none: no lookup gets one',
  },
  agentAllowLoopback: {
    env: 'CONDUCTOR_AGENT_ALLOW_LOOPBACK',
    schema: Type.Boolean(),
    fallback: false,
    about: 'call agents that report a loopback address, and fetch images from one; for tests only',
  },
  agentTlsRequired: {
    env: 'CONDUCTOR_AGENT_TLS_REQUIRED',
    schema: Type.Boolean(),
    fallback: false,
    about: 'call agents over https only',
  },
  agentApiUrl: {
    env: 'CONDUCTOR_AGENT_API_URL',
    schema: Type.String({
      pattern:
        '^https?://[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?(?::[0-9]{1,5})?(?:/[A-Za-z0-9._~-]+)*$',
      maxLength: 300,
      description: 'http(s)://host[:port][/path], without a slash at the end',
    }),
    fallback: '',
    about:
      'where agents reach the API, for the kernel parameters of their boots; empty: their images say it',
  },
  mediaHost: {
    env: 'CONDUCTOR_MEDIA_HOST',
    schema: PART.host.schema,
    derive: (env) => loadConfig({ host: PART.host }, env).host,
    about: 'address on which machines are served their boot media',
  },
  mediaPort: {
    env: 'CONDUCTOR_MEDIA_PORT',
    schema: PART.port.schema,
    derive: (env) =>
      loadConfig({ port: PART.port }, env).port === DEFAULT_PORTS.conductor ? MEDIA_PORT : 0,
    about:
      'port on which machines are served their boot media; 0: any that is free, as where CONDUCTOR_PORT is another than usual',
  },
  mediaUrl: {
    env: 'CONDUCTOR_MEDIA_URL',
    schema: AdvertisedUrl,
    fallback: '',
    about: 'where BMCs reach the boot media: http(s)://host[:port]; empty: where they are served',
  },
  mediaDirectory: {
    env: 'CONDUCTOR_MEDIA_DIR',
    schema: Text,
    derive: mediaDirectoryOf,
    about:
      'directory of the images that boot media are made from; default below TENURE_DATA_DIR or the directory for temporary files',
  },
  mediaMaxBytes: {
    env: 'CONDUCTOR_MEDIA_MAX_BYTES',
    schema: Bytes,
    fallback: 4_294_967_296,
    about: 'bytes that one image may have',
  },
  mediaCacheBytes: {
    env: 'CONDUCTOR_MEDIA_CACHE_BYTES',
    schema: Bytes,
    fallback: 17_179_869_184,
    about: 'bytes that images may take in that directory; those unused for longest go first',
  },
} as const satisfies Variables;

export type ConductorConfig = ConfigOf<typeof CONDUCTOR_VARIABLES>;

const EVERYBODY = 'holds every address, so that anyone would get the token of an agent';

/** How one that listens there is reached: under the machine's name, when it listens everywhere. */
export function reachedAt({
  host,
  port,
}: {
  readonly host: string;
  readonly port: number;
}): string {
  const name = WILDCARDS.includes(host) ? os.hostname() : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${String(port)}`;
}

/**
 * The conductor's configuration.
 * @throws ConfigError with every bad variable
 */
export function loadConductorConfig(env: Environment): ConductorConfig {
  const config = loadConfig(CONDUCTOR_VARIABLES, env);
  const { env: name } = CONDUCTOR_VARIABLES.agentNetworks;
  const problems = addressBlockProblems(name, config.agentNetworks, EVERYBODY);
  if (problems.length > 0) throw new ConfigError(problems);
  assertBmcNetworks(config);
  return config;
}

/** Images are kept with whatever else persists, each conductor's apart; else where the machine keeps what may be lost. */
function mediaDirectoryOf(env: Environment): string {
  const { TENURE_DATA_DIR: dataDir = '' } = env;
  // A name of a host may hold anything but is one directory.
  const own = encodeURIComponent(hostNameIn(env)).replaceAll('.', '%2E');
  return dataDir === ''
    ? path.join(os.tmpdir(), `tenure-media-${String(process.getuid?.() ?? 0)}`, own)
    : path.join(dataDir, 'conductor', own, 'media');
}
