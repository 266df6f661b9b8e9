import { createSecretKey, randomBytes } from 'node:crypto';
import { type PartName } from '@tenure/contracts';
import { type ClientAddressOf, createClientAddresses, createServiceClient } from '@tenure/http';
import { createRegistry } from '@tenure/process';
import {
  type ContextKeys,
  type PairKeys,
  signContext,
  verifyContext,
} from '@tenure/signed-context';
import {
  createIssuerTokens,
  fixedKeys,
  identityOf,
  type Issuer,
  verificationKey,
} from '@tenure/tokens';
import { createAgentTokens } from '../adapters/agent-tokens-conductor.js';
import { createPdpClient } from '../adapters/decision-point-pdp.js';
import { createInventoryTenancy } from '../adapters/tenancy-source-inventory.js';
import { createGateway } from '../app.js';
import { createCallers } from '../application/admission/callers.js';
import { type AdmissionSettings, openAdmissions } from '../application/admission/open.js';
import { createStartQueue } from '../application/admission/start-queue.js';
import {
  type Authenticator,
  createAuthenticator,
} from '../application/authentication/authenticator.js';
import { createTokenAuthority } from '../application/authentication/token-authority.js';
import { createAuthorizer } from '../application/decisions/authorizer.js';
import { createRevocationList } from '../application/revocation/revocation-list.js';
import { createDialects } from '../dialects/dialects.js';
import { type GatewayDependencies } from '../http/flow/dependencies.js';
import { createForwarder } from '../http/forward/forwarder.js';
import { type Ended, type Refused } from '../http/observe.js';
import { startStrictListener } from '../http/strict-http/listener.js';
import { type ComputeUpstream, ownCompute } from '../open-compute.js';
import {
  ALLOW,
  decideWith,
  type FakeServer,
  json,
  newSigner,
  type Received,
  signToken,
  startFake,
} from './fakes.js';

/** Milliseconds for calls that succeed, also on a busy machine. Tests of a time-out set their own. */
const LONG_DEADLINE_MS = 20_000;
const LISTENER = { host: '127.0.0.1', port: 0, shutdownDelayMs: 0, drainMs: 200 };
const UPSTREAMS: readonly PartName[] = ['inventory', 'conductor', 'allocation', 'compute'];

const NOT_FOUND = {
  type: 'about:blank',
  title: 'Not Found',
  status: 404,
  detail: 'no',
  code: 'not_found',
};

export interface TestRequest extends Omit<RequestInit, 'headers'> {
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TestGateway {
  readonly port: number;
  readonly url: string;
  readonly token: string;
  readonly pdp: FakeServer;
  readonly inventory: FakeServer;
  readonly conductor: FakeServer;
  readonly allocation: FakeServer;
  readonly compute: FakeServer;
  readonly log: Ended[];
  readonly refusals: Refused[];
  /** Verifies the context of a request that a fake service received. */
  readonly contextOf: (part: PartName, request: Received) => ReturnType<typeof verifyContext>;
  readonly fetch: (target: string, init?: TestRequest) => Promise<Response>;
  readonly stop: () => Promise<void>;
}

export interface TestOptions {
  readonly tenancyTtlMs?: number;
  readonly tenancyDeadlineMs?: number;
  readonly decisionDeadlineMs?: number;
  readonly agentTokenDeadlineMs?: number;
  readonly upstreamDeadlineMs?: number;
  readonly requestDeadlineMs?: number;
  readonly documentBytes?: number;
  readonly bodyDeadlineMs?: number;
  readonly trustedProxies?: readonly string[];
  readonly rateLimit?: GatewayDependencies['rateLimit'];
  readonly agentLimits?: GatewayDependencies['agentLimits'];
  readonly surface?: GatewayDependencies['surface'];
  readonly admission?: Partial<AdmissionSettings>;
  readonly authenticator?: Authenticator;
  readonly trustsTraces?: boolean;
  /** The upstream of the compute API at the URL of its fake; our own service by default. */
  readonly compute?: (url: string) => ComputeUpstream;
}

const ADMISSION: AdmissionSettings = {
  admissionMaxMs: 100_000,
  admissionTargetMs: 1000,
  admissionQueue: 1000,
  admissionWaitMs: 1000,
};

type Parts = Pick<TestGateway, 'pdp' | 'inventory' | 'conductor' | 'allocation' | 'compute'>;

/** A complete gateway on loopback, with fakes of every part that it calls. */
export async function startTestGateway(options: TestOptions = {}): Promise<TestGateway> {
  const outgoing = new Map(UPSTREAMS.map((part) => [part, pairKey()]));
  const keys: ContextKeys = { self: 'gateway', outgoing, incoming: new Map() };
  const parts = await startParts();
  const compute = (options.compute ?? ownCompute)(parts.compute.url);
  const { forwarder, authorizer, agentTokens, close } = startClients(parts, compute, keys, options);
  const signer = newSigner('k1');
  const token = signToken(signer);
  const log: Ended[] = [];
  const refusals: Refused[] = [];
  const gateway = createGateway({
    dialectOf: createDialects(compute.dialect),
    authenticator: options.authenticator ?? authenticatorOf(signer.jwk),
    challenge: 'Bearer realm="tenure"',
    authorizer,
    forwarder,
    clientAddressOf: addressesBehind(options),
    rateLimit: options.rateLimit ?? (() => undefined),
    ...agentSettings(options),
    agentTokens,
    ...admissionOf(options),
    sign: (statement, body) => signContext(keys, statement, body),
    observer: observerInto(log, refusals),
    trustsTraces: options.trustsTraces ?? false,
    publicUrl: undefined,
    ...limitsOf(options),
  });
  const listener = await startStrictListener(gateway, LISTENER);
  const url = `http://127.0.0.1:${listener.port}`;
  return {
    ...parts,
    port: listener.port,
    url,
    token,
    log,
    refusals,
    contextOf: (part, { headers, method, target, body }) => {
      const pair = outgoing.get(part);
      const incoming = new Map<PartName, PairKeys>(pair === undefined ? [] : [['gateway', pair]]);
      const received = { method, target, body: Buffer.from(body) };
      return verifyContext(
        { self: part, outgoing: new Map(), incoming },
        String(headers['x-tenure-context']),
        received,
      );
    },
    fetch: (target, { headers = {}, ...init } = {}) =>
      fetch(`${url}${target}`, {
        ...init,
        headers: { 'x-auth-token': token, 'x-openstack-ironic-api-version': '1.65', ...headers },
      }),
    stop: async () => {
      await listener.stop();
      await close();
      await Promise.all(Object.values(parts).map((fake: FakeServer) => fake.close()));
    },
  };
}

const pairKey = (): PairKeys => [createSecretKey(randomBytes(32))];

const startParts = async (): Promise<Parts> => ({
  pdp: await startFake(decideWith(() => ALLOW)),
  inventory: await startFake((_request, response) => {
    json(response, 404, NOT_FOUND);
  }),
  conductor: await startFake((_request, response) => {
    response.writeHead(202).end();
  }),
  allocation: await startFake((_request, response) => {
    json(response, 200, { allocations: [] });
  }),
  compute: await startFake((_request, response) => {
    json(response, 200, {});
  }),
});

function startClients(
  { pdp, inventory, conductor, allocation }: Parts,
  compute: ComputeUpstream,
  keys: ContextKeys,
  options: TestOptions,
) {
  const client = createServiceClient({
    part: 'inventory',
    baseUrl: inventory.url,
    keys,
    deadlineMs: options.tenancyDeadlineMs ?? LONG_DEADLINE_MS,
  });
  const conductorClient = createServiceClient({
    part: 'conductor',
    baseUrl: conductor.url,
    keys,
    deadlineMs: options.agentTokenDeadlineMs ?? LONG_DEADLINE_MS,
  });
  const decisions = createPdpClient({ baseUrl: pdp.url, token: undefined });
  const forwarder = createForwarder(
    {
      inventory: { url: inventory.url, isOurs: true },
      conductor: { url: conductor.url, isOurs: true },
      allocation: { url: allocation.url, isOurs: true },
      compute: compute.destination,
    },
    2000,
  );
  const authorizer = compute.authorizer(
    createAuthorizer({
      tenancies: compute.tenancies(createInventoryTenancy(client)),
      decisions,
      tenancyTtlMs: options.tenancyTtlMs ?? 0,
      tenancyDeadlineMs: options.tenancyDeadlineMs ?? LONG_DEADLINE_MS,
      decisionDeadlineMs: options.decisionDeadlineMs ?? LONG_DEADLINE_MS,
    }),
  );
  const close = async (): Promise<void> => {
    forwarder.close();
    decisions.close();
    await Promise.all([client.close(), conductorClient.close()]);
    await compute.close();
  };
  return { forwarder, authorizer, agentTokens: createAgentTokens(conductorClient), close };
}

const authenticatorOf = (jwk: unknown): Authenticator =>
  createAuthenticator({
    tokens: createTokenAuthority({
      issuers: createIssuerTokens([issuerOf(jwk)]),
      keystone: undefined,
      jwsKeys: undefined,
      revocations: createRevocationList(),
    }),
    basic: undefined,
    serviceRoles: [],
    deadlineMs: 4500,
  });

const addressesBehind = ({ trustedProxies = [] }: TestOptions): ClientAddressOf =>
  createClientAddresses(trustedProxies);

const agentSettings = ({
  agentLimits = { admit: () => ({ ended: () => undefined }) },
  surface = 'all',
}: TestOptions) => ({ agentLimits, surface, publicRateLimit: () => undefined });

const admissionOf = ({ admission }: TestOptions) => ({
  callers: createCallers(),
  startQueue: createStartQueue({ perIteration: 4, later: setImmediate }),
  refusalPace: { delayOf: () => 0 },
  admissions: openAdmissions({ ...ADMISSION, ...admission }, createRegistry('gateway')),
});

const observerInto = (log: Ended[], refusals: Refused[]): GatewayDependencies['observer'] => ({
  began: () => () => undefined,
  ended: (ended) => {
    log.push(ended);
  },
  refused: (refused) => {
    refusals.push(refused);
  },
  denied: () => undefined,
  took: () => undefined,
  failed: () => undefined,
});

const limitsOf = (options: TestOptions) => ({
  documentBytes: options.documentBytes ?? 128 * 1024,
  bodyDeadlineMs: options.bodyDeadlineMs ?? LONG_DEADLINE_MS,
  requestDeadlineMs: options.requestDeadlineMs ?? 2 * LONG_DEADLINE_MS,
  upstreamDeadlineMs: options.upstreamDeadlineMs ?? LONG_DEADLINE_MS,
});

function issuerOf(jwk: unknown): Issuer {
  const key = verificationKey(jwk);
  if (key === undefined) throw new Error('the key of the test is not usable');
  return { name: 'test-issuer', audience: 'tenure', source: fixedKeys([key]), identityOf };
}
