import { beforeEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@tenure/contracts';
import { type ClientAddress } from '@tenure/http';
import { createAgentLimits } from './agent-limits.js';

const at = (address: string, network = address): ClientAddress => ({
  address,
  network,
  port: undefined,
});

let time = 0;
const limited: string[] = [];
const limitsOf = (perSecond = 10_000, failuresPerMinute = 10) =>
  createAgentLimits({
    perSecond,
    failuresPerMinute,
    onLimited: (by) => limited.push(by),
    now: () => time,
  });

function refusalOf(work: () => unknown): AppError | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

beforeEach(() => {
  time = 0;
  limited.length = 0;
});

describe('the limits of agents', () => {
  it('refuse a network after so many failures, until a minute is over', () => {
    const limits = limitsOf();
    for (let host = 1; host <= 10; host += 1)
      limits.admit(at(`192.0.2.${host}`), 1).ended('failed');
    const refusal = refusalOf(() => limits.admit(at('192.0.2.99'), 1));
    expect(refusal).toMatchObject({ status: 429, headers: { 'Retry-After': '60' } });
    expect(refusalOf(() => limits.admit(at('192.0.3.1'), 1))).toBeUndefined();
    expect(limited).toEqual(['agent_failures']);
    time += 60_000;
    expect(refusalOf(() => limits.admit(at('192.0.2.99'), 1))).toBeUndefined();
  });

  it('count each address that a lookup tries', () => {
    const limits = limitsOf();
    limits.admit(at('192.0.2.1'), 64).ended('failed');
    expect(refusalOf(() => limits.admit(at('192.0.2.2'), 1))).toMatchObject({ status: 429 });
  });

  it('count a /64 of IPv6 as one network', () => {
    const limits = limitsOf();
    limits.admit(at('2001:db8::1', '2001:db8:0:0::/64'), 10).ended('failed');
    const near = at('2001:db8::2', '2001:db8:0:0::/64');
    expect(refusalOf(() => limits.admit(near, 1))).toMatchObject({ status: 429 });
    const far = at('2001:db8:0:1::2', '2001:db8:0:1::/64');
    expect(refusalOf(() => limits.admit(far, 1))).toBeUndefined();
  });

  it('count no success: a fleet of 500 behind one network is not limited', () => {
    const limits = limitsOf();
    for (let beat = 0; beat < 5000; beat += 1)
      limits.admit(at(`192.0.2.${beat % 250}`), 1).ended('proved');
    expect(limited).toEqual([]);
  });

  it('let an address go on that proved itself, whatever its neighbours do', () => {
    const limits = limitsOf();
    limits.admit(at('192.0.2.7'), 1).ended('proved');
    limits.admit(at('192.0.2.66'), 64).ended('failed');
    expect(refusalOf(() => limits.admit(at('192.0.2.7'), 1))).toBeUndefined();
    limits.admit(at('192.0.2.7'), 10).ended('failed');
    expect(refusalOf(() => limits.admit(at('192.0.2.7'), 1))).toMatchObject({ status: 429 });
  });

  it('bound concurrent requests before their outcome is clear', () => {
    const limits = limitsOf();
    const sweep = [1, 2].map(() => limits.admit(at('192.0.2.1'), 64));
    expect(refusalOf(() => limits.admit(at('192.0.2.1'), 1))).toMatchObject({ status: 429 });
    for (const one of sweep) one.ended('other');
    expect(refusalOf(() => limits.admit(at('192.0.2.1'), 1))).toBeUndefined();
  });

  it('bound the requests of a network in a second', () => {
    const limits = limitsOf(2);
    limits.admit(at('192.0.2.1'), 1).ended('proved');
    limits.admit(at('192.0.2.2'), 1).ended('proved');
    const refusal = refusalOf(() => limits.admit(at('192.0.2.3'), 1));
    expect(refusal).toMatchObject({ status: 429, headers: { 'Retry-After': '1' } });
    expect(limited).toEqual(['agent_network']);
  });
});
