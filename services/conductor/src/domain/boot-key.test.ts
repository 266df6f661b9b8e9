import { describe, expect, it } from '@jest/globals';
import { aNode } from '@tenure/testing';
import { withAgentBoot } from './agent.js';
import { bootMediumIn, bootMediumPath, isBootKey, withoutBootKeys } from './boot-key.js';
import { entryView } from './event-log.js';
import { visibleImage } from './virtual-media.js';

const UUID = '6f1b1b1e-0000-4000-8000-000000000001';
const BOOT = {
  id: 'b-1',
  work: 'deploy',
  tenancyRevision: 1,
  startedAt: '2026-11-22T00:00:00Z',
  image: 'f'.repeat(64),
};
const booted = (secret: string, fields = {}) =>
  aNode({
    uuid: UUID,
    provision_state: 'wait call-back',
    driver_internal_info: withAgentBoot({}, secret, BOOT),
    ...fields,
  });
const keyOf = (secret: string): string =>
  bootMediumIn(bootMediumPath(booted(secret)) ?? '')?.key ?? '';

describe('the address of a boot medium', () => {
  it('has a key that follows from the secret, and does not hold it', () => {
    const path = bootMediumPath(booted('secret'));
    expect(path).toMatch(new RegExp(`^/media/${UUID}/[\\w-]{43}\\.iso$`, 'u'));
    expect(path).not.toContain('secret');
    expect(path).toBe(bootMediumPath(booted('secret')));
    expect(path).not.toBe(bootMediumPath(booted('another')));
  });

  it('is that of a boot that goes on', () => {
    const key = keyOf('secret');
    expect(isBootKey(booted('secret'), key)).toBe(true);
    expect(isBootKey(booted('another'), key)).toBe(false);
    expect(isBootKey(booted('secret', { tenancy_revision: 2 }), key)).toBe(false);
    expect(isBootKey(booted('secret', { provision_state: 'active' }), key)).toBe(false);
    expect(isBootKey(booted('secret', { driver_internal_info: {} }), keyOf(''))).toBe(false);
    expect(bootMediumPath(aNode())).toBeUndefined();
  });

  it.each([
    '/',
    '/media/',
    `/media/${UUID}/`,
    `/media/${UUID}/short.iso`,
    `/media/${UUID}/${'a'.repeat(43)}.iso?x=1`,
    `/media/${UUID}/${'a'.repeat(43)}.iso/`,
    `/media/../media/${UUID}/${'a'.repeat(43)}.iso`,
    `/media/${UUID.toUpperCase()}/${'a'.repeat(43)}.iso`,
    `//media/${UUID}/${'a'.repeat(43)}.iso`,
  ])('is not %s', (path) => {
    expect(bootMediumIn(path)).toBeUndefined();
  });

  it('is returned without its key', () => {
    const visible = `http://10.0.0.1:8193/media/${UUID}/******.iso`;
    const address = `http://10.0.0.1:8193${bootMediumPath(booted('secret')) ?? ''}`;
    expect(visibleImage(address)).toBe(visible);
    expect(entryView({ Message: `inserted ${address}` }, null).message).toBe(`inserted ${visible}`);
    expect(withoutBootKeys(`GET ${address} 200`)).toBe(`GET ${visible} 200`);
  });
});
