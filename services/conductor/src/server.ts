import { setTimeout as delay } from 'node:timers/promises';
import { createServiceClient, startListener } from '@tenure/http';
import {
  createLogger,
  createRegistry,
  helpText,
  loadConfig,
  type Logger,
  type Registry,
  runPart,
  type RunningPart,
  startAdminServer,
} from '@tenure/process';
import { loadContextKeys } from '@tenure/signed-context';
import { createFakeDriver } from './adapters/hardware-driver-fake.js';
import { createRedfishDriver } from './adapters/hardware-driver-redfish.js';
import { createHttpInventory } from './adapters/inventory-port-http.js';
import { createHttpLeaseBook } from './adapters/lease-book-http.js';
import {
  createHttpNodeLookup,
  createHttpNodePorts,
  createInventoryNetworkRegistry,
} from './adapters/node-parts-http.js';
import { createBmcDirectory } from './adapters/redfish/bmc-directory.js';
import { BMC_LIMITS } from './adapters/redfish/bmc-transport.js';
import { createApp } from './app.js';
import { type Conductor, createConductor } from './conductor.js';
import { CONDUCTOR_VARIABLES } from './config.js';
import { createDriverOf } from './drivers.js';
import { createMetrics } from './metrics.js';
import { LEASE_ROUND_MS } from './work/lease-watch.js';
import { OVERDUE_ROUND_MS } from './work/overdue-watch.js';
import { POWER_LIMITS } from './work/power-execution.js';
import { ORPHAN_ROUND_MS } from './work/recovery.js';
import { repeat } from './work/repeat.js';

const HEARTBEAT_MS = 10_000;
/** While the inventory is away, so that work goes on soon after it is back. */
const KNOCK_MS = 1000;
const INVENTORY_MS = 3000;
/** Work that has not ended by then stays reserved, and is resumed at the next start. */
const FINISH_MS = 9000;
const CLOSE_MS = 1500;

const HELP = helpText(
  'conductor',
  'Power, boot device, maintenance and validation of nodes; the drivers redfish and fake-hardware.',
  CONDUCTOR_VARIABLES,
);

type Config = ReturnType<typeof readConfig>;

/** The conductor over real adapters, and how to let go of what they hold. */
const assemble = (logger: Logger, config: Config, registry: Registry) => {
  const keys = loadContextKeys(config.contextKeysDir, 'conductor');
  const metrics = createMetrics(registry);
  const stop = new AbortController();
  const caDirectory = config.caDirectory === '' ? undefined : config.caDirectory;
  const directory = createBmcDirectory({ limits: BMC_LIMITS, observe: metrics.bmc, caDirectory });
  const drivers = [createFakeDriver(), createRedfishDriver({ directory, caDirectory })];
  const driverOf = createDriverOf(drivers);
  const client = createServiceClient({
    baseUrl: config.inventoryUrl,
    keys,
    deadlineMs: INVENTORY_MS,
  });
  const inventory = createHttpInventory(client);
  const provisioningPorts = {
    ports: createHttpNodePorts(client),
    registry: createInventoryNetworkRegistry(client),
    lookup: createHttpNodeLookup(client),
  };
  const conductor = createConductor({
    inventory,
    leaseBook: createHttpLeaseBook(client, config.hostname),
    provisioningPorts,
    driverOf,
    drivers,
    hostname: config.hostname,
    conductorGroup: config.conductorGroup,
    logger,
    metrics,
    stopping: stop.signal,
    limits: { ...POWER_LIMITS, changeMs: config.powerChangeSeconds * 1000 },
  });
  const idle = async (): Promise<void> => {
    await Promise.all([
      conductor.power.idle(),
      conductor.changes.idle(),
      conductor.provision.idle(),
      conductor.documents.idle(),
      conductor.leases.idle(),
    ]);
  };
  return {
    conductor,
    app: createApp({ keys, logger, inventory, ...conductor, driverOf, drivers }),
    idle,
    /** Ends what is still running, then the sessions and connections. */
    close: async (): Promise<void> => {
      stop.abort();
      await Promise.race([Promise.all([idle(), directory.close()]), delay(CLOSE_MS)]);
      await Promise.race([client.close(), delay(CLOSE_MS)]);
    },
  };
};

/** Starts the heartbeat, the power sync and the look for orphans; they end with the signal. */
const startLoops = (
  conductor: Conductor,
  config: Config,
  logger: Logger,
  signal: AbortSignal,
): void => {
  const { heartbeat, sync, orphans, overdue, leases } = conductor;
  const pause = (): number => (heartbeat.isInventoryReachable() ? HEARTBEAT_MS : KNOCK_MS);
  void repeat(heartbeat.beat, pause, signal);
  const quietly = (round: () => Promise<void>) => (): Promise<void> =>
    round().catch((error: unknown) => {
      if (!signal.aborted) logger.debug({ err: error }, 'a round over the nodes ended early');
    });
  void repeat(quietly(orphans.round), () => ORPHAN_ROUND_MS, signal);
  void repeat(quietly(leases.round), () => LEASE_ROUND_MS, signal);
  void repeat(quietly(overdue.round), () => OVERDUE_ROUND_MS, signal);
  const { powerSyncSeconds } = config;
  if (powerSyncSeconds > 0) void repeat(quietly(sync.round), () => powerSyncSeconds * 1000, signal);
};

const start = async (logger: Logger, config: Config): Promise<RunningPart> => {
  const registry = createRegistry('conductor');
  const loops = new AbortController();
  const { conductor, app, idle, close } = assemble(logger, config, registry);
  const { host, port, adminPort } = config;
  const listener = await startListener(app, { host, port, drainMs: FINISH_MS });
  const readiness = () =>
    conductor.heartbeat.isInventoryReachable() && !loops.signal.aborted
      ? { ready: true, reason: 'ok' }
      : {
          ready: false,
          reason: loops.signal.aborted ? 'stopping' : 'the inventory does not answer',
        };
  const admin = await startAdminServer({ host, port: adminPort, registry, readiness });
  startLoops(conductor, config, logger, loops.signal);
  logger.info({ port: listener.port, host_name: config.hostname }, 'listening');
  return {
    stop: async () => {
      loops.abort();
      await Promise.race([Promise.all([listener.stop(), idle()]), delay(FINISH_MS)]);
      await close();
      admin.close();
      admin.closeAllConnections();
    },
  };
};

const readConfig = () => loadConfig(CONDUCTOR_VARIABLES, process.env);

if (process.argv.includes('--help')) process.stdout.write(HELP);
else {
  // The log level is part of the configuration, so a bad configuration is reported at the default level.
  await runPart(createLogger('conductor', 'info'), async () => {
    const config = readConfig();
    return start(createLogger('conductor', config.logLevel), config);
  });
}
