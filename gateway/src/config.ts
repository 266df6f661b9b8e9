import { Type } from '@sinclair/typebox';
import { DEFAULT_PORTS } from '@tenure/contracts';
import {
  ConfigError,
  type ConfigOf,
  contextKeysVariable,
  type Environment,
  helpText,
  loadConfig,
  partVariables,
  type Variables,
} from '@tenure/process';
import { ISSUER_VARIABLES, issuerProblems } from '@tenure/tokens';
import { AUTHENTICATION_VARIABLES, authenticationProblems } from './config-authentication.js';
import { DOCUMENT_BYTES } from './routes/bodies/body-kind.js';

const Text = Type.String({ minLength: 1 });
const Url = Type.String({
  pattern: '^https?://[^/?#@\\s]+/?$',
  description: 'an http or https URL without a path',
});
const Milliseconds = Type.Integer({ minimum: 1, maximum: 60_000 });
const loopback = (part: keyof typeof DEFAULT_PORTS): string =>
  `http://127.0.0.1:${DEFAULT_PORTS[part]}`;

const PART = partVariables('gateway');

/** Every variable that the gateway reads. */
export const VARIABLES = {
  ...PART,
  contextKeysDir: contextKeysVariable,
  ...AUTHENTICATION_VARIABLES,
  inventoryUrl: {
    env: 'INVENTORY_URL',
    schema: Url,
    fallback: loopback('inventory'),
    about: 'the inventory service',
  },
  pdpUrl: {
    env: 'PDP_URL',
    schema: Url,
    fallback: loopback('pdp'),
    about: 'the policy decision point',
  },
  conductorUrl: {
    env: 'CONDUCTOR_URL',
    schema: Url,
    fallback: loopback('conductor'),
    about: 'the conductor service',
  },
  allocationUrl: {
    env: 'ALLOCATION_URL',
    schema: Url,
    fallback: loopback('allocation'),
    about: 'the allocation service',
  },
  computeUrl: {
    env: 'COMPUTE_URL',
    schema: Url,
    fallback: loopback('compute'),
    about: 'the compute service',
  },
  novaUrl: {
    env: 'NOVA_URL',
    schema: Type.String({
      pattern: '^https?://[^?#@\\s]+$',
      description: 'the http or https URL of Nova, with or without /v2.1 at its end',
    }),
    fallback: '',
    about: 'a real Nova in place of the compute service, whose servers the policy then guards',
  },
  novaDeadlineMs: {
    env: 'GATEWAY_NOVA_DEADLINE_MS',
    schema: Type.Integer({ minimum: 1, maximum: 4500 }),
    fallback: 3000,
    about: 'milliseconds for a look-up of a server in Nova',
  },
  pdpTokenFile: {
    env: 'PDP_CLIENT_TOKEN_FILE',
    schema: Text,
    fallback: '',
    about: 'file whose first line is the bearer token for the PDP; none on loopback',
  },
  publicUrl: {
    env: 'GATEWAY_PUBLIC_URL',
    schema: Url,
    fallback: '',
    about: 'base of links; otherwise http://<Host of the request>',
  },
  ...ISSUER_VARIABLES,
  jwksRefreshMs: {
    env: 'GATEWAY_JWKS_REFRESH_MS',
    schema: Type.Integer({ minimum: 100, maximum: 3_600_000 }),
    fallback: 60_000,
    about: 'milliseconds between fetches of the key sets',
  },
  jwksCooldownMs: {
    env: 'GATEWAY_JWKS_COOLDOWN_MS',
    schema: Milliseconds,
    fallback: 5000,
    about: 'milliseconds in which unknown keys do not cause a fetch',
  },
  rateLimit: {
    env: 'GATEWAY_RATE_LIMIT',
    schema: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    fallback: 1000,
    about:
      'requests per second of one user, over all gateways that share a Redis; and of one address without a token',
  },
  agentRateLimit: {
    env: 'GATEWAY_AGENT_RATE_LIMIT',
    schema: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    fallback: 1000,
    about:
      'requests per second on the routes of agents, of one network (IPv4 /24, IPv6 /64) and by each gateway',
  },
  agentFailuresPerMinute: {
    env: 'GATEWAY_AGENT_FAILURES_PER_MINUTE',
    schema: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    fallback: 600,
    about:
      'failed lookups (each address counts), heartbeats and inspections of one network in a minute; then 429',
  },
  agentPort: {
    env: 'GATEWAY_AGENT_PORT',
    schema: Type.Integer({ minimum: 0, maximum: 65_535 }),
    fallback: 0,
    about:
      'port of a listener of its own for agents (/v1/lookup, /v1/heartbeat, /v1/continue_inspection), which the other port then does not serve; 0: none',
  },
  agentHost: {
    env: 'GATEWAY_AGENT_HOST',
    schema: Text,
    derive: (env: Environment) => loadConfig({ host: PART.host }, env).host,
    about: 'address that the listener for agents listens on',
  },
  agentTokenDeadlineMs: {
    env: 'GATEWAY_AGENT_TOKEN_DEADLINE_MS',
    schema: Milliseconds,
    fallback: 1500,
    about: 'milliseconds for the conductor to verify the token of an agent',
  },
  tenancyTtlMs: {
    env: 'GATEWAY_TENANCY_TTL_MS',
    schema: Type.Integer({ minimum: 0, maximum: 60_000 }),
    fallback: 2000,
    about: 'milliseconds for which tenancy is cached; 0: not at all',
  },
  tenancyDeadlineMs: {
    env: 'GATEWAY_TENANCY_DEADLINE_MS',
    schema: Milliseconds,
    fallback: 1500,
    about: 'milliseconds for a look-up of tenancy in the inventory',
  },
  decisionDeadlineMs: {
    env: 'GATEWAY_DECISION_DEADLINE_MS',
    schema: Milliseconds,
    fallback: 1000,
    about: 'milliseconds for the PDP to decide',
  },
  upstreamDeadlineMs: {
    env: 'GATEWAY_UPSTREAM_DEADLINE_MS',
    schema: Milliseconds,
    fallback: 8000,
    about: 'milliseconds for a service to begin its answer',
  },
  requestDeadlineMs: {
    env: 'GATEWAY_REQUEST_DEADLINE_MS',
    schema: Milliseconds,
    fallback: 9500,
    about: 'milliseconds for the whole request after its body has arrived',
  },
  documentBytes: {
    env: 'GATEWAY_MAX_DOCUMENT_BYTES',
    schema: Type.Integer({ minimum: 16_384, maximum: DOCUMENT_BYTES }),
    fallback: 131_072,
    about: 'maximum bytes of a create request (POST) or of a patch; then 413',
  },
  admissionMaxMs: {
    env: 'GATEWAY_ADMISSION_MAX_MS',
    schema: Type.Integer({ minimum: 20, maximum: 1_000_000 }),
    fallback: 2000,
    about:
      'maximum work in flight at one service, in milliseconds of expected cost; lower while requests wait there',
  },
  admissionTargetMs: {
    env: 'GATEWAY_ADMISSION_TARGET_MS',
    schema: Type.Integer({ minimum: 1, maximum: 10_000 }),
    fallback: 10,
    about: 'milliseconds that requests may wait at a service before the gateway sends less to it',
  },
  admissionQueue: {
    env: 'GATEWAY_ADMISSION_QUEUE',
    schema: Type.Integer({ minimum: 1, maximum: 10_000 }),
    fallback: 32,
    about: 'queued requests of one project, in each class; then 429',
  },
  admissionWaitMs: {
    env: 'GATEWAY_ADMISSION_WAIT_MS',
    schema: Type.Integer({ minimum: 1, maximum: 5000 }),
    fallback: 4000,
    about: 'milliseconds that a request may be queued; then 503',
  },
  trustsTraces: {
    env: 'GATEWAY_TRUST_TRACEPARENT',
    schema: Type.Boolean(),
    fallback: false,
    about: "whether requests join the trace that the client's traceparent names; else it is a link",
  },
} as const satisfies Variables;

export type GatewayConfig = ConfigOf<typeof VARIABLES>;

/** What `--help` prints. */
export const HELP = helpText(
  'node gateway/dist/server.js',
  'The API gateway of Tenure.',
  VARIABLES,
);

/**
 * The gateway's configuration.
 * @throws ConfigError with every bad variable, and when an outside issuer is incomplete
 */
export function loadGatewayConfig(env: Environment): GatewayConfig {
  const config = loadConfig(VARIABLES, env);
  checkTogether(config, env);
  return config;
}

function checkTogether(config: GatewayConfig, env: Environment): void {
  const problems: string[] = [
    ...authenticationProblems(config),
    ...issuerProblems(config.tokenIssuer, env),
  ];
  if (config.novaUrl !== '' && config.keystoneUrl === '')
    problems.push(
      "NOVA_URL needs KEYSTONE_URL and a user of the gateway's own there (KEYSTONE_USERNAME and KEYSTONE_PASSWORD_FILE, or an application credential), by which it asks Nova whose a server is",
    );
  if (config.agentPort !== 0 && [config.port, config.adminPort].includes(config.agentPort))
    problems.push('GATEWAY_AGENT_PORT is the port of another listener of the gateway');
  if (problems.length > 0) throw new ConfigError(problems);
}
