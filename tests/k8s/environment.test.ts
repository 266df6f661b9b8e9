import { describe, expect, it } from '@jest/globals';
import { environmentProblems } from './rules/environment.js';
import { installation } from './support/builds.js';
import { type Environment, environmentsIn, environmentsInCompose } from './support/environments.js';

// The rule of environments finds its violations: a part of an overlay with one error.

function of(overlay: string, where: string): Environment {
  const found = environmentsIn(installation(`overlays/${overlay}`)).find(
    (each) => each.where === where,
  );
  if (found === undefined) throw new Error(`there is no ${where}`);
  return found;
}

const plus = (environment: Environment, name: string, value: string): Environment => ({
  ...environment,
  variables: [...environment.variables, [name, value]],
});

const less = (environment: Environment, name: string): Environment => ({
  ...environment,
  variables: environment.variables.filter(([each]) => each !== name),
});

const instead = (environment: Environment, name: string, value: string): Environment =>
  plus(less(environment, name), name, value);

const gateway = of('production', 'gateway');
const pdp = of('production', 'pdp');
const migrate = of('production', 'inventory/migrate');

describe('the rule of environments', () => {
  it.each<readonly [what: string, environment: Environment, problem: string]>([
    [
      'a name that no part knows',
      plus(gateway, 'INVENTORY_ADDRESS', 'http://inventory:8182'),
      'gateway: INVENTORY_ADDRESS is unknown to it',
    ],
    [
      'a name that only another part knows',
      plus(of('production', 'allocation'), 'PDP_URL', 'http://pdp:8181'),
      'allocation: PDP_URL is unknown to it',
    ],
    [
      'a variable that is set twice',
      plus(gateway, 'PDP_URL', 'http://pdp:8181'),
      'gateway: PDP_URL is set more than once',
    ],
    [
      'a variable of a ConfigMap that is set once more',
      plus(pdp, 'TENURE_ENFORCE_SCOPE', 'true'),
      'pdp: TENURE_ENFORCE_SCOPE is set more than once',
    ],
    [
      'a variable that is missing',
      less(of('production', 'compute'), 'TENURE_CONTEXT_KEYS_DIR'),
      'compute: TENURE_CONTEXT_KEYS_DIR is not set (directory of <caller>--<audience>.key files)',
    ],
    [
      'a value of another type',
      instead(gateway, 'GATEWAY_PORT', 'eighty'),
      'gateway: GATEWAY_PORT must be: integer from 0 to 65535',
    ],
    [
      'variables that belong together',
      less(gateway, 'TOKEN_ISSUER'),
      'gateway: TOKEN_ISSUER is not set (JWKS_URL, TOKEN_ISSUER, TOKEN_AUDIENCE belong together)',
    ],
    [
      'half of an issuer at the console',
      less(pdp, 'TOKEN_AUDIENCE'),
      'pdp: TOKEN_AUDIENCE is not set (JWKS_URL, TOKEN_ISSUER, TOKEN_AUDIENCE belong together)',
    ],
    [
      'a trusted proxy that is no address',
      instead(gateway, 'GATEWAY_TRUSTED_PROXIES', 'ingress-nginx'),
      'gateway: GATEWAY_TRUSTED_PROXIES: entry 1 is no IP address and no CIDR block (10.0.0.0/8, 2001:db8::/32)',
    ],
    [
      'a console that trusts everybody',
      plus(pdp, 'PDP_TRUSTED_PROXIES', '192.0.2.0/24,0.0.0.0/0'),
      'pdp: PDP_TRUSTED_PROXIES: entry 2 would trust everybody, so that each client could choose its address',
    ],
    [
      'a value that the tracing library would choke on',
      plus(of('production', 'conductor'), 'OTEL_TRACES_SAMPLER_ARG', '5 %'),
      'conductor: OTEL_TRACES_SAMPLER_ARG must be: number from 0 to 1',
    ],
    [
      'an unknown name in an init container',
      plus(migrate, 'MONGO_URL_FILE', '/etc/tenure/mongodb/uri'),
      'inventory/migrate: MONGO_URL_FILE is unknown to it',
    ],
    [
      'a bad value in an init container, which needs less than its part',
      plus(migrate, 'INVENTORY_CONDUCTOR_KEEP_SECONDS', '1'),
      'inventory/migrate: INVENTORY_CONDUCTOR_KEEP_SECONDS must be: integer from 60 to 315360000',
    ],
    [
      'a file where nothing is mounted',
      instead(gateway, 'REDIS_URL_FILE', '/etc/tenure/redis-url'),
      'gateway: REDIS_URL_FILE: nothing is mounted at /etc/tenure/redis-url',
    ],
    [
      'a file that the Secret is not said to have',
      instead(gateway, 'REDIS_URL_FILE', '/etc/tenure/redis/uri'),
      'gateway: REDIS_URL_FILE: there is no uri in what is mounted at /etc/tenure/redis',
    ],
    [
      'one of several files that is not mounted',
      plus(pdp, 'PDP_BUNDLE_KEYS', 'a=/etc/tenure/policy/bundle.tar.gz, b=/etc/keys/b.pem'),
      'pdp: PDP_BUNDLE_KEYS: nothing is mounted at /etc/keys/b.pem',
    ],
    [
      'a key that would be made where nobody can write',
      less(gateway, 'TENURE_SHARED_STATE_KEY_FILE'),
      'gateway: TENURE_SHARED_STATE_KEY_FILE is not set, and its default cannot be written',
    ],
    [
      'a store that would be made where nobody can write',
      {
        ...less(of('dev', 'inventory'), 'TENURE_DATA_DIR'),
        mounts: [{ path: '/etc/tenure/context-keys' }, { path: '/etc/tenure/custody-key' }],
      },
      'inventory: TENURE_DATA_DIR is not set, and its default cannot be written',
    ],
    [
      'revocations in a file that is nowhere, where there is no Redis',
      less(of('dev', 'gateway'), 'TENURE_REVOCATION_FILE'),
      'gateway: TENURE_REVOCATION_FILE is not set, and its default cannot be written',
    ],
  ])('sees %s', (_what, environment, problem) => {
    expect(environmentProblems(environment)).toEqual([problem]);
  });

  it('takes a volume at the data directory of the images for a place to write to', () => {
    const gatewayWithVolume = less(of('dev', 'gateway'), 'TENURE_REVOCATION_FILE');
    const mounts = [...gatewayWithVolume.mounts, { path: '/var/lib/tenure' }];
    expect(environmentProblems({ ...gatewayWithVolume, mounts })).toEqual([]);
  });

  it('sees a workload that is no part', () => {
    expect(environmentProblems({ ...gateway, part: 'porter', where: 'porter' })).toEqual([
      'porter is no part',
    ]);
  });

  it('puts in what a variable says of one before it, as Kubernetes does', () => {
    expect(of('production', 'conductor').variables).toContainEqual([
      'CONDUCTOR_ADVERTISED_URL',
      'http://conductor-0.conductor-peers:8183',
    ]);
  });
});

const COMPOSE = `
x-common: &common
  TENURE_CONTEXT_KEYS_DIR: /keys
services:
  inventory:
    image: registry.example.org/tenure-inventory:\${TAG:-0.1.0}
    environment:
      <<: *common
      INVENTORY_HOST: 0.0.0.0
      INVENTORY_PORT: 8182
      MONGODB_URI_FILE: /run/secrets/mongodb-uri
      TENURE_CUSTODY_KEY_FILE: /keys/custody.pem
    secrets: [mongodb-uri]
    volumes: ['keys:/keys:ro']
  migrate:
    image: tenure-inventory:0.1.0
    environment: ['MONGODB_URI_FILE=/run/secrets/other', 'MONGO=\${MONGO:-yes}']
    secrets: [{source: mongodb-uri, target: uri}]
  mongodb:
    image: mongo:8
    environment: {MONGO_INITDB_ROOT_USERNAME: root}
`;

describe('environments in a compose file', () => {
  const [inventory, migration, ...others] = environmentsInCompose(COMPOSE);

  it('are those of services with images of Tenure, and no others', () => {
    expect(others).toEqual([]);
    expect([inventory?.where, inventory?.isOwn]).toEqual(['inventory', true]);
    expect([migration?.part, migration?.where, migration?.isOwn]).toEqual([
      'inventory',
      'migrate',
      false,
    ]);
  });

  it('have the variables of maps, lists, anchors and defaults, and the mounts', () => {
    expect(inventory?.variables).toEqual([
      ['TENURE_CONTEXT_KEYS_DIR', '/keys'],
      ['INVENTORY_HOST', '0.0.0.0'],
      ['INVENTORY_PORT', '8182'],
      ['MONGODB_URI_FILE', '/run/secrets/mongodb-uri'],
      ['TENURE_CUSTODY_KEY_FILE', '/keys/custody.pem'],
    ]);
    expect(inventory?.mounts).toEqual([{ path: '/keys' }, { path: '/run/secrets/mongodb-uri' }]);
    expect(migration?.variables).toEqual([
      ['MONGODB_URI_FILE', '/run/secrets/other'],
      ['MONGO', 'yes'],
    ]);
    expect(migration?.mounts).toEqual([{ path: '/run/secrets/uri' }]);
  });

  it('pass the same rule', () => {
    expect(environmentsInCompose(COMPOSE).flatMap(environmentProblems)).toEqual([
      'migrate: MONGO is unknown to it',
      'migrate: MONGODB_URI_FILE: nothing is mounted at /run/secrets/other',
    ]);
  });
});
