import {
  addressesIn,
  createBmcGuard,
  createServiceClient,
  NEUTRON,
  openResourceOwners,
  ownPortCheck,
  type ServiceClient,
  startListener,
  type ResourceOwners,
} from '@tenure/http';
import {
  createDependencyMetrics,
  createLogger,
  createRequestMetrics,
  helpText,
  type Logger,
  type ObserveDependency,
  type Registry,
  type RunningService,
  runService,
  type ServiceKit,
  inTime,
  repeat,
} from '@tenure/process';
import { type ContextKeys, watchContextKeys } from '@tenure/signed-context';
import { createAgentClient } from './adapters/agent-http.js';
import { createHttpDeployTemplates } from './adapters/deploy-templates-http.js';
import { createHttpHandoverBook } from './adapters/handover-book-http.js';
import { createFakeDriver } from './adapters/hardware-driver-fake.js';
import { createRedfishDriver } from './adapters/hardware-driver-redfish.js';
import { hashBySha512Crypt } from './adapters/hash-password-crypt.js';
import { createHttpInventory } from './adapters/inventory-port-http.js';
import { createHttpLeaseBook } from './adapters/lease-book-http.js';
import { type ServedBootMedia } from './adapters/media/boot-media.js';
import {
  createHttpNodeLookup,
  createHttpNodePorts,
  createInventoryNetworkRegistry,
  createNeutronNetworkRegistry,
} from './adapters/node-parts-http.js';
import { createHttpPeers } from './adapters/peers-http.js';
import { type BmcDirectory, createBmcDirectory } from './adapters/redfish/bmc-directory.js';
import { BMC_LIMITS } from './adapters/redfish/bmc-transport.js';
import { powerPace } from './adapters/redfish/power-change.js';
import { createApp } from './app.js';
import { type Conductor, createConductor } from './application/conductor.js';
import { LEASE_ROUND_MS } from './application/lease-watch.js';
import { type ConductorMetrics, createMetrics } from './application/metrics.js';
import { overdueRoundMs } from './application/overdue-watch.js';
import { ORPHAN_ROUND_MS } from './application/recovery.js';
import { type ProvisioningPorts } from './application/shared-parts.js';
import { CONDUCTOR_VARIABLES, loadConductorConfig } from './config.js';
import { createDriverOf } from './drivers.js';
import { createMediaHandler } from './http/media-listener.js';
import { type MediaPlace, openMedia } from './open-media.js';
import { type HardwareDriver } from './ports/hardware-driver.js';
import { powerLimitsOf, syncLimitsOf, waitLimitsOf } from './time-limits.js';

/** So many heartbeats are sent in the time that one is good for. */
const HEARTBEATS = 6;
/** Interval while the inventory is unavailable, so that work goes on soon after its return. */
const KNOCK_MS = 1000;
const INVENTORY_MS = 3000;
/** Work that has not ended by then stays reserved, and is resumed at the next start. */
const FINISH_MS = 9000;
const CLOSE_MS = 1500;
/** A machine may leave its medium alone for minutes while it starts. */
const MEDIA_STALLED_MS = 600_000;
/** Machines that read their media at the same time. */
const MEDIA_CONNECTIONS = 2048;

type Configuration = ReturnType<typeof configure>;
type Config = Configuration['config'];

const openNeutron = (config: Config, observe: ObserveDependency): ResourceOwners | undefined =>
  openResourceOwners({
    form: NEUTRON,
    url: config.neutronUrl,
    env: 'NEUTRON_URL',
    config,
    observe,
  });

const openInventory = (
  config: Config,
  keys: ContextKeys,
  observe: ObserveDependency,
): ServiceClient =>
  createServiceClient({
    part: 'inventory',
    baseUrl: config.inventoryUrl,
    keys,
    deadlineMs: INVENTORY_MS,
    observe,
  });

const openBmcs = (
  config: Config,
  metrics: ConductorMetrics,
  isOwnPort: (port: number) => boolean,
): BmcDirectory =>
  createBmcDirectory({
    limits: BMC_LIMITS,
    observe: metrics.bmc,
    caDirectory: config.caDirectory,
    guard: createBmcGuard({ ...config, isOwnPort }),
  });

const driversOver = (directory: BmcDirectory, config: Config): readonly HardwareDriver[] => [
  createFakeDriver(),
  createRedfishDriver({ directory, pace: powerPace(config.powerUncertainSeconds) }),
];

await runService({
  name: 'conductor',
  help: helpText(
    'conductor',
    'Power, boot device, maintenance and validation of nodes; the drivers redfish and fake-hardware.',
    CONDUCTOR_VARIABLES,
  ),
  env: process.env,
  configure,
  start,
});

function configure() {
  const config = loadConductorConfig(process.env);
  return { config, logger: createLogger('conductor', config.logLevel) };
}

async function start({
  config,
  logger,
  registry,
  stopping,
}: Configuration & ServiceKit): Promise<RunningService> {
  const parts = assemble(logger, config, registry);
  const { conductor, app, mediaApp, idle, close } = parts;
  // A download of a machine breaks off with the process: its retry is served after the restart, or by another conductor.
  const media = await startListener(mediaApp, {
    host: config.mediaHost,
    port: config.mediaPort,
    drainMs: FINISH_MS,
    stalledMs: MEDIA_STALLED_MS,
  });
  media.server.maxConnections = MEDIA_CONNECTIONS;
  parts.mediaPlace.port = media.port;
  const listener = await startListener(app, { ...config, drainMs: FINISH_MS });
  const rounds = startLoops(conductor, config, logger, stopping);
  return {
    readiness: () =>
      conductor.heartbeat.isInventoryReachable()
        ? { ready: true, reason: 'ok' }
        : { ready: false, reason: 'the inventory does not answer' },
    listening: { port: listener.port, media_port: media.port, host_name: config.hostname },
    drain: async () => {
      // Orders are still accepted while the listener drains.
      const finished = Promise.all([listener.stop().then(idle), media.stop()]);
      await inTime(FINISH_MS, finished, () => undefined);
    },
    close: () => close(rounds),
  };
}

/** The conductor over real adapters, and a function that closes these. */
function assemble(logger: Logger, config: Config, registry: Registry) {
  const { port, adminPort, mediaPort } = config;
  const mediaPlace: MediaPlace = { port: mediaPort };
  const keys = watchContextKeys(config.contextKeysDir, 'conductor', logger);
  const metrics = createMetrics(registry);
  const stop = new AbortController();
  const isOwnPort = ownPortCheck(process.env, () => [port, adminPort, mediaPlace.port]);
  const directory = openBmcs(config, metrics, isOwnPort);
  const drivers = driversOver(directory, config);
  const driverOf = createDriverOf(drivers);
  const observe = createDependencyMetrics(registry);
  const client = openInventory(config, keys, observe);
  const neutron = openNeutron(config, observe);
  const inventory = createHttpInventory(client);
  const mediaParts = { place: mediaPlace, isOwnPort, metrics, stopping: stop.signal };
  const media = openMedia(inventory, config, mediaParts);
  const provisioningPorts = provisioningPortsOver(client, media, config, neutron);
  const conductor = createConductor({
    inventory,
    leaseBook: createHttpLeaseBook(client, config.hostname),
    handovers: createHttpHandoverBook(client),
    provisioningPorts,
    driverOf,
    drivers,
    ...config,
    logger,
    metrics,
    stopping: stop.signal,
    limits: powerLimitsOf(config),
    syncLimits: syncLimitsOf(config),
    waitLimits: waitLimitsOf(config),
  });
  const idle = (): Promise<void> => idleOf(conductor);
  return {
    conductor,
    mediaPlace,
    mediaApp: createMediaHandler({ find: media.find, logger, metrics: metrics.media }),
    app: createApp({
      keys,
      logger,
      metrics: createRequestMetrics(registry),
      inventory,
      ...conductor,
      peers: createHttpPeers(config.hostname),
      driverOf,
      drivers,
      hashPassword: hashBySha512Crypt,
    }),
    idle,
    /**
     * Ends what is still running, then the sessions and connections. Deregisters in between, but only when nothing runs any
     * more: another conductor may take its locks over at once from then on.
     */
    close: async (rounds: Promise<unknown>): Promise<void> => {
      stop.abort();
      const quiet = Promise.all([idle(), rounds]).then(() => true);
      if (await inTime(CLOSE_MS, quiet, () => false)) await deregister(conductor, logger);
      const closed = Promise.all([directory.close(), client.close(), neutron?.close()]);
      await inTime(CLOSE_MS, closed, () => undefined);
    },
  };
}

/** Starts the heartbeat, the power sync and the orphan watch. They end with the signal, after their current round. */
function startLoops(
  conductor: Conductor,
  config: Config,
  logger: Logger,
  signal: AbortSignal,
): Promise<unknown> {
  const { heartbeat, sync, orphans, overdue, leases, handovers } = conductor;
  const timeoutMs = config.heartbeatTimeoutSeconds * 1000;
  const heartbeatMs = timeoutMs / HEARTBEATS;
  const pause = (): number =>
    heartbeat.isInventoryReachable() ? heartbeatMs : Math.min(KNOCK_MS, heartbeatMs);
  const quietly = (round: () => Promise<void>) => (): Promise<void> =>
    round().catch((error: unknown) => {
      if (!signal.aborted) logger.debug({ err: error }, 'a round over the nodes ended early');
    });
  const orphanMs = Math.min(ORPHAN_ROUND_MS, timeoutMs / 2);
  const overdueMs = overdueRoundMs(waitLimitsOf(config));
  const { powerSyncSeconds } = config;
  // Conductors that started together must not ask the fleet in step for ever.
  const syncPause = (): number => powerSyncSeconds * 1000 * (0.9 + Math.random() * 0.2);
  return Promise.all([
    repeat(heartbeat.beat, pause, signal),
    repeat(quietly(orphans.round), () => orphanMs, signal),
    repeat(quietly(leases.round), () => LEASE_ROUND_MS, signal),
    repeat(quietly(handovers.round), () => LEASE_ROUND_MS, signal),
    repeat(quietly(overdue.round), () => overdueMs, signal),
    powerSyncSeconds > 0 && repeat(quietly(sync.round), syncPause, signal),
  ]);
}

function provisioningPortsOver(
  client: ServiceClient,
  media: ServedBootMedia,
  config: Config,
  neutron: ResourceOwners | undefined,
): ProvisioningPorts {
  const isAgentNetwork = addressesIn(config.agentNetworks);
  return {
    media,
    ports: createHttpNodePorts(client),
    registry:
      neutron === undefined
        ? createInventoryNetworkRegistry(client)
        : createNeutronNetworkRegistry(neutron),
    lookup: createHttpNodeLookup(client),
    templates: createHttpDeployTemplates(client),
    agents: createAgentClient({
      allowLoopback: config.agentAllowLoopback,
      isInNetworks: isAgentNetwork,
      tlsRequired: config.agentTlsRequired,
      caDirectory: config.caDirectory,
    }),
    isAgentNetwork,
  };
}

/** Resolves when none of the conductor's work runs any more. */
async function idleOf(conductor: Conductor): Promise<void> {
  const { power, changes, provision, documents, handovers } = conductor;
  await Promise.all([power, changes, provision, documents, handovers].map((work) => work.idle()));
}

async function deregister({ heartbeat }: Conductor, logger: Logger): Promise<void> {
  const deregistered = heartbeat.deregister().catch((error: unknown) => {
    logger.warn(
      { err: error },
      'could not deregister; this conductor counts as alive until its heartbeat is old',
    );
  });
  await inTime(CLOSE_MS, deregistered, () => undefined);
}
