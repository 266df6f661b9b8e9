import { describe, expect, it } from '@jest/globals';
import { aNode } from '@tenure/testing';
import { agentAddressOf } from './agent.js';

const REPORTED = {
  agent_url: 'https://agent.example:9999',
  agent_address: '192.0.2.7',
  agent_verify_ca: 'PEM',
};

describe('where an agent is called', () => {
  it('is the address that was checked with its first report, with the token that it was given', () => {
    const info = { ...REPORTED, agent_secret_token: 'secret' };
    expect(agentAddressOf(aNode({ driver_internal_info: info }))).toEqual({
      url: 'https://agent.example:9999',
      pinned: '192.0.2.7',
      token: 'secret',
      verifyCa: 'PEM',
      verifyCaFile: undefined,
    });
  });

  it('is judged by the operator’s CA file where the node names one', () => {
    const node = aNode({
      driver_info: { agent_verify_ca: '/etc/tenure/ca/agents.pem' },
      driver_internal_info: { ...REPORTED, agent_secret_token: 'secret' },
    });
    expect(agentAddressOf(node)).toMatchObject({ verifyCaFile: '/etc/tenure/ca/agents.pem' });
  });

  it('is nowhere before it has reported, or without a token', () => {
    expect(agentAddressOf(aNode({ driver_internal_info: REPORTED }))).toBeUndefined();
    const silent = { agent_secret_token: 'secret', agent_url: '' };
    expect(agentAddressOf(aNode({ driver_internal_info: silent }))).toBeUndefined();
  });
});
