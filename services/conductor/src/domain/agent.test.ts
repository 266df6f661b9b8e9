import { describe, expect, it } from '@jest/globals';
import { aNode } from '@tenure/testing';
import {
  bootSecretOf,
  hasAgentToken,
  hasPregeneratedToken,
  isAgentToken,
  withAgentBoot,
  withAgentToken,
  withoutAgent,
} from './agent.js';

const SECRET = 'a'.repeat(43);
const BOOT = {
  id: 'b-1',
  work: 'deploy',
  tenancyRevision: 3,
  startedAt: '2026-11-22T00:00:00Z',
  image: 'f'.repeat(64),
};

const booted = (info = withAgentBoot({ other: 1 }, SECRET, BOOT), tenancy_revision = 3) =>
  aNode({ driver_internal_info: info, tenancy_revision });

describe('a token that the conductor made for a boot', () => {
  it('counts for the node as it was at the boot', () => {
    const node = booted();
    expect(isAgentToken(node, SECRET)).toBe(true);
    expect(isAgentToken(node, `${SECRET}a`)).toBe(false);
    expect(isAgentToken(node, '')).toBe(false);
    expect(hasPregeneratedToken(node)).toBe(true);
    expect(bootSecretOf(node)).toBe(SECRET);
  });

  it('does not count when the machine has changed hands, also if it came back', () => {
    const node = booted(undefined, 4);
    expect(isAgentToken(node, SECRET)).toBe(false);
    expect(bootSecretOf(node)).toBeUndefined();
    expect(isAgentToken(booted(undefined, 5), SECRET)).toBe(false);
  });

  it.each([
    { agent_secret_token: SECRET, agent_secret_token_pregenerated: true },
    {
      agent_secret_token: SECRET,
      agent_secret_token_pregenerated: true,
      agent_boot: { tenancy_revision: 3 },
    },
    { agent_secret_token: SECRET, agent_secret_token_pregenerated: true, agent_boot: 'deploy' },
  ])('does not count without its boot: %j', (info) => {
    expect(isAgentToken(booted(info), SECRET)).toBe(false);
  });

  it('is removed with all other members of the agent', () => {
    const { driver_internal_info: info } = booted();
    expect(withoutAgent(info)).toEqual({ other: 1 });
  });

  it('takes the place of what an earlier agent left', () => {
    const info = withAgentBoot(
      { agent_url: 'http://10.0.0.2', agent_secret_token: 'b' },
      SECRET,
      BOOT,
    );
    expect(info).not.toHaveProperty('agent_url');
    expect(isAgentToken(booted(info), 'b')).toBe(false);
  });
});

describe('a token that was handed out', () => {
  const node = aNode({ tenancy_revision: 3 });
  const given = booted(withAgentToken(node, SECRET));

  it('counts as long as the machine is in the same hands', () => {
    expect(isAgentToken(given, SECRET)).toBe(true);
    expect(hasAgentToken(given)).toBe(true);
    expect(hasPregeneratedToken(given)).toBe(false);
    expect(bootSecretOf(given)).toBeUndefined();
    expect(isAgentToken({ ...given, tenancy_revision: 4 }, SECRET)).toBe(false);
  });

  it('counts also when an earlier version handed it out', () => {
    expect(isAgentToken(booted({ agent_secret_token: SECRET }), SECRET)).toBe(true);
  });

  it('is none of a node that does not exist', () => {
    expect(isAgentToken(undefined, '')).toBe(false);
  });
});
