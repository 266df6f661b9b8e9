import { describe, expect, it } from '@jest/globals';
import { loadConductorConfig } from './config.js';

const load = (networks: string) =>
  loadConductorConfig({
    TENURE_CONTEXT_KEYS_DIR: '/keys',
    CONDUCTOR_AGENT_NETWORKS: networks,
  }).agentNetworks;

describe('CONDUCTOR_AGENT_NETWORKS', () => {
  it('names no network unless it is set', () => {
    expect(loadConductorConfig({ TENURE_CONTEXT_KEYS_DIR: '/keys' }).agentNetworks).toEqual([]);
  });

  it('takes addresses and blocks of both families', () => {
    expect(load('192.0.2.0/24, 198.51.100.7,2001:db8::/32')).toEqual([
      '192.0.2.0/24',
      '198.51.100.7',
      '2001:db8::/32',
    ]);
  });

  it.each([
    ['192.0.2.0/24,provisioning', 'entry 2 is no IP address and no CIDR block'],
    ['192.0.2.7/24', 'entry 1 names an address within its block, and not the block'],
    ['0.0.0.0/0', 'entry 1 holds every address'],
    ['::/0', 'entry 1 holds every address'],
  ])('refuses %s, and says which entry is wrong', (networks, problem) => {
    expect(() => load(networks)).toThrow(`CONDUCTOR_AGENT_NETWORKS: ${problem}`);
  });
});
