import { readFileSync } from 'node:fs';
import { createClientAddresses, createServiceClient, type ServiceClient } from '@tenure/http';
import {
  createDependencyMetrics,
  createLogger,
  logDestination,
  type Logger,
  type ObserveDependency,
  type RunningService,
  runService,
  type ServiceKit,
  watchFiles,
} from '@tenure/process';
import { openSharedState } from '@tenure/shared-state';
import {
  type ContextKeys,
  type ContextStatement,
  signContext,
  watchContextKeys,
} from '@tenure/signed-context';
import { createAgentTokens } from './adapters/agent-tokens-conductor.js';
import { createAuditLimits, followAuditLimits } from './adapters/audit-limits.js';
import { createPdpClient } from './adapters/decision-point-pdp.js';
import { watchReachability } from './adapters/reachability.js';
import { createInventoryTenancy } from './adapters/tenancy-source-inventory.js';
import { createGateway } from './app.js';
import { createCallers } from './application/admission/callers.js';
import { openAdmissions } from './application/admission/open.js';
import { createRefusalPace } from './application/admission/refusal-pace.js';
import { createStartQueue } from './application/admission/start-queue.js';
import { type Authorizer, createAuthorizer } from './application/decisions/authorizer.js';
import { type GatewayConfig, HELP, loadGatewayConfig } from './config.js';
import { createDialects } from './dialects/dialects.js';
import { type GatewayDependencies } from './http/flow/dependencies.js';
import { createForwarder, type Forwarder } from './http/forward/forwarder.js';
import { createObserver } from './http/observe.js';
import { BODY_DEADLINE_MS } from './http/strict-http/body.js';
import { startStrictListener, type StrictListener } from './http/strict-http/listener.js';
import { type Authentication, openAuthentication } from './open-authentication.js';
import { type ComputeUpstream, ownCompute, realNova } from './open-compute.js';
import { openRateLimits } from './open-rate-limits.js';
import { type Surface } from './routes/surface-routes.js';

const DRAIN_MS = 12_000;
/** Small, so that an iteration of the event loop is short even when all of them are refused. */
const STARTS_PER_ITERATION = 4;
/** A client that waits for `Retry-After` is never delayed. */
const REFUSALS = { burst: 100, perSecond: 200, maxDelayMs: 1000 };
const AUDIT_LIMITS_EVERY_MS = 10_000;

const optional = (value: string): string | undefined => (value === '' ? undefined : value);

const base = (url: string): string => url.replace(/\/$/u, '');

interface Clients {
  readonly inventory: ServiceClient;
  /** Milliseconds for the gateway's own calls to the conductor, which verify agent tokens. */
  readonly conductor: ServiceClient;
  readonly pdp: ReturnType<typeof createPdpClient>;
  readonly forwarder: Forwarder;
  readonly close: () => Promise<void>;
}

/** The current token in a file. */
const tokenIn = (file: string, logger: Logger): (() => string) =>
  watchFiles({
    what: 'token for the PDP',
    read: () => readFileSync(file, 'utf8'),
    make: bearerToken,
    logger,
  }).current;

const authorizerOf = (
  config: GatewayConfig,
  compute: ComputeUpstream,
  { inventory, pdp }: Clients,
): Authorizer =>
  compute.authorizer(
    createAuthorizer({
      ...config,
      tenancies: compute.tenancies(createInventoryTenancy(inventory)),
      decisions: pdp,
    }),
  );

const rateSettingsOf = (config: GatewayConfig) => ({
  perSecond: config.rateLimit,
  agents: { perSecond: config.agentRateLimit, failuresPerMinute: config.agentFailuresPerMinute },
});

type Configuration = ReturnType<typeof configure>;

await runService({ name: 'gateway', help: HELP, env: process.env, configure, start });

/** The first line of the file. The PDP may use the same file, and accepts each of its lines. */
function bearerToken(text: string): string {
  const token = text.split('\n', 1)[0]?.trim() ?? '';
  // Anything else could not be sent as a header.
  if (!/^[!-~]+$/u.test(token))
    throw new Error('the first line of PDP_CLIENT_TOKEN_FILE is not a token');
  return token;
}

function configure() {
  const config = loadGatewayConfig(process.env);
  // Written asynchronously, so that access lines do not block requests.
  const destination = logDestination({ sync: false, minLength: 8192, periodicFlush: 200 });
  return { config, logger: createLogger('gateway', config.logLevel, destination) };
}

async function start({
  config,
  logger,
  registry,
}: Configuration & ServiceKit): Promise<RunningService> {
  const keys = watchContextKeys(config.contextKeysDir, 'gateway', logger);
  const observe = createDependencyMetrics(registry);
  const shared = openSharedState(config, logger, observe);
  const authentication = openAuthentication(config, { ...shared, registry, logger, observe });
  const limits = openRateLimits({ ...shared, ...rateSettingsOf(config), registry, logger });
  const compute = openCompute(config, authentication, observe);
  const clients = openClients({ config, logger }, keys, compute, observe);
  const reachability = watchReachability({ pdp: config.pdpUrl, inventory: config.inventoryUrl });
  const deps = {
    dialectOf: createDialects(compute.dialect),
    authenticator: authentication.authenticator,
    challenge: authentication.challenge,
    authorizer: authorizerOf(config, compute, clients),
    forwarder: clients.forwarder,
    clientAddressOf: createClientAddresses(config.trustedProxies),
    rateLimit: limits.ofIdentity,
    publicRateLimit: limits.ofAddress,
    agentLimits: limits.ofAgents,
    agentTokens: createAgentTokens(clients.conductor),
    callers: createCallers(),
    startQueue: createStartQueue({ perIteration: STARTS_PER_ITERATION, later: setImmediate }),
    refusalPace: createRefusalPace(REFUSALS),
    admissions: openAdmissions(config, registry),
    sign: (statement: ContextStatement, body: Uint8Array) => signContext(keys, statement, body),
    observer: createObserver(registry, logger),
    trustsTraces: config.trustsTraces,
    publicUrl: optional(base(config.publicUrl)),
    documentBytes: config.documentBytes,
    bodyDeadlineMs: BODY_DEADLINE_MS,
    requestDeadlineMs: config.requestDeadlineMs,
    upstreamDeadlineMs: config.upstreamDeadlineMs,
  };
  const listeners = await startListeners(deps, config, logger);
  const [{ port }] = listeners;
  return {
    readiness: reachability.readiness,
    listening: { host: config.host, port, issuers: authentication.issuers },
    drain: async () => {
      await Promise.all(listeners.map((listener) => listener.stop()));
    },
    close: async () => {
      reachability.stop();
      await authentication.close();
      shared.close();
      await clients.close();
    },
  };
}

function openCompute(
  config: GatewayConfig,
  { ownSession }: Authentication,
  observe: ObserveDependency,
): ComputeUpstream {
  if (config.novaUrl === '') return ownCompute(base(config.computeUrl));
  if (ownSession === undefined) throw new Error('NOVA_URL without KEYSTONE_URL');
  const { novaUrl: url, novaDeadlineMs: deadlineMs } = config;
  return realNova({ url, session: ownSession, deadlineMs, observe });
}

function openClients(
  { config, logger }: Configuration,
  keys: ContextKeys,
  compute: ComputeUpstream,
  observe: ObserveDependency,
): Clients {
  const tokenFile = optional(config.pdpTokenFile);
  const inventoryUrl = base(config.inventoryUrl);
  const inventory = createServiceClient({
    part: 'inventory',
    baseUrl: inventoryUrl,
    keys,
    deadlineMs: config.tenancyDeadlineMs,
    observe,
  });
  const conductor = createServiceClient({
    part: 'conductor',
    baseUrl: base(config.conductorUrl),
    keys,
    deadlineMs: config.agentTokenDeadlineMs,
    observe,
  });
  const auditLimits = createAuditLimits({ inventory, logger });
  const following = followAuditLimits(auditLimits, AUDIT_LIMITS_EVERY_MS);
  const pdp = createPdpClient({
    auditLimits,
    baseUrl: base(config.pdpUrl),
    token: tokenFile === undefined ? undefined : tokenIn(tokenFile, logger),
    observe,
  });
  const forwarder = createForwarder(
    {
      inventory: { url: inventoryUrl, isOurs: true },
      conductor: { url: base(config.conductorUrl), isOurs: true },
      allocation: { url: base(config.allocationUrl), isOurs: true },
      compute: compute.destination,
    },
    config.upstreamDeadlineMs,
  );
  const close = async (): Promise<void> => {
    forwarder.close();
    pdp.close();
    await Promise.all([following.stop(), inventory.close(), conductor.close()]);
    await compute.close();
  };
  return { inventory, conductor, pdp, forwarder, close };
}

/** The public listener, and one for agents alone where they have their own. */
async function startListeners(
  deps: Omit<GatewayDependencies, 'surface'>,
  { host, port, agentHost, agentPort, shutdownDelayMs }: GatewayConfig,
  logger: Logger,
): Promise<readonly [StrictListener, ...StrictListener[]]> {
  const listen = (surface: Surface, where: { readonly host: string; readonly port: number }) =>
    startStrictListener(createGateway({ ...deps, surface }), {
      ...where,
      shutdownDelayMs,
      drainMs: DRAIN_MS,
    });
  if (agentPort === 0) return [await listen('all', { host, port })];
  const agents = await listen('agents', { host: agentHost, port: agentPort });
  logger.info({ host: agentHost, port: agentPort }, 'listening for agents');
  return [await listen('tenants', { host, port }), agents];
}
