import { describe, expect, it } from '@jest/globals';
import { HELP, loadGatewayConfig } from './config.js';

const BASE = { TENURE_CONTEXT_KEYS_DIR: '/keys' };
const OUTSIDE = {
  JWKS_URL: 'https://a.test/jwks, https://b.test/jwks',
  TOKEN_ISSUER: 'https://a.test',
  TOKEN_AUDIENCE: 'tenure',
};

describe('the configuration of the gateway', () => {
  it('has loopback defaults and accepts development tokens', () => {
    expect(loadGatewayConfig({ ...BASE, TENURE_DATA_DIR: '/data' })).toMatchObject({
      host: '127.0.0.1',
      port: 6385,
      adminPort: 7385,
      inventoryUrl: 'http://127.0.0.1:8182',
      pdpUrl: 'http://127.0.0.1:8181',
      conductorUrl: 'http://127.0.0.1:8183',
      allocationUrl: 'http://127.0.0.1:8184',
      devKeyFile: '/data/keys/dev-token/private.jwk.json',
      devTokens: true,
      jwksUrls: [],
      rateLimit: 1000,
    });
  });

  it('has no listener for agents alone unless it gets a port of its own', () => {
    const load = (port: string) => loadGatewayConfig({ ...BASE, GATEWAY_AGENT_PORT: port });
    expect(loadGatewayConfig({ ...BASE, GATEWAY_HOST: '192.0.2.1' })).toMatchObject({
      agentPort: 0,
      agentHost: '192.0.2.1',
      agentRateLimit: 1000,
      agentFailuresPerMinute: 600,
    });
    expect(load('6388')).toMatchObject({ agentPort: 6388, agentHost: '127.0.0.1' });
    expect(() => load('6385')).toThrow('GATEWAY_AGENT_PORT is the port of another listener');
    expect(() => load('7385')).toThrow('GATEWAY_AGENT_PORT is the port of another listener');
  });

  it('accepts development tokens besides an outside issuer only when configured', () => {
    expect(loadGatewayConfig({ ...BASE, ...OUTSIDE })).toMatchObject({
      devTokens: false,
      jwksUrls: ['https://a.test/jwks', 'https://b.test/jwks'],
    });
    expect(loadGatewayConfig({ ...BASE, ...OUTSIDE, TENURE_DEV_TOKENS: 'true' })).toMatchObject({
      devTokens: true,
    });
  });

  it.each(['JWKS_URL', 'TOKEN_ISSUER', 'TOKEN_AUDIENCE'])(
    'is refused when an outside issuer lacks %s',
    (name) => {
      expect(() => loadGatewayConfig({ ...BASE, ...OUTSIDE, [name]: '' })).toThrow(
        `${name} is not set`,
      );
    },
  );

  it('is refused when an outside issuer has the name of the development issuer', () => {
    expect(() => loadGatewayConfig({ ...BASE, ...OUTSIDE, TOKEN_ISSUER: 'tenure-dev' })).toThrow(
      'TOKEN_ISSUER must not be tenure-dev',
    );
  });

  it('trusts no proxy unless configured, and none that is no address', () => {
    expect(loadGatewayConfig(BASE).trustedProxies).toEqual([]);
    const given = { ...BASE, GATEWAY_TRUSTED_PROXIES: '10.0.0.0/8, 2001:db8::7' };
    expect(loadGatewayConfig(given).trustedProxies).toEqual(['10.0.0.0/8', '2001:db8::7']);
    expect(() =>
      loadGatewayConfig({ ...BASE, GATEWAY_TRUSTED_PROXIES: '10.0.0.0/8,ingress,0.0.0.0/0' }),
    ).toThrow(
      'Configuration is not usable:\n' +
        '  GATEWAY_TRUSTED_PROXIES: entry 2 is no IP address and no CIDR block (10.0.0.0/8, 2001:db8::/32)\n' +
        '  GATEWAY_TRUSTED_PROXIES: entry 3 would trust everybody, so that each client could choose its address',
    );
  });

  it('is refused when Nova is configured without credentials for look-ups of servers', () => {
    const nova = { ...BASE, NOVA_URL: 'http://nova.test:8774/v2.1' };
    expect(() => loadGatewayConfig(nova)).toThrow('NOVA_URL needs KEYSTONE_URL');
    const keystone = { ...nova, KEYSTONE_URL: 'http://keystone.test/v3' };
    expect(() => loadGatewayConfig(keystone)).toThrow('KEYSTONE_URL needs either');
    expect(
      loadGatewayConfig({ ...keystone, KEYSTONE_USERNAME: 'gateway', KEYSTONE_PASSWORD: 'x' }),
    ).toMatchObject({ novaUrl: 'http://nova.test:8774/v2.1', novaDeadlineMs: 3000 });
    expect(() => loadGatewayConfig({ ...BASE, NOVA_URL: 'nova:8774' })).toThrow('NOVA_URL');
  });

  it('names every variable in the help text', () => {
    expect(HELP).toContain('GATEWAY_RATE_LIMIT');
    expect(HELP).toContain('TENURE_CONTEXT_KEYS_DIR');
  });
});
