import { createHash } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { addressGuard } from '@tenure/http';
import { deadlineIn } from '@tenure/process';
import { isoImage } from '../../domain/iso9660.js';
import { StubImageServer } from '../../testing/image-server.js';
import { failureOf } from '../../testing/redfish-bench.js';
import { createImageCache, type ImageCache, type ImageCacheOptions } from './image-cache.js';

const LIMITS = { connectMs: 500, headersMs: 500, stallMs: 300 };
const IMAGE = isoImage('AGENT', { 'grub.cfg': 'linux /k' });
const PLACE = 'the image of driver_info.deploy_iso';
const digestOf = (image: Buffer): string => createHash('sha256').update(image).digest('hex');

let server: StubImageServer;
let directory: string;
let outcomes: string[];

const cacheWith = (options: Partial<ImageCacheOptions> = {}): ImageCache =>
  createImageCache({
    directory,
    maxBytes: 1_000_000,
    cacheBytes: 10_000_000,
    guard: addressGuard(true),
    limits: LIMITS,
    stopping: new AbortController().signal,
    observe: (outcome) => outcomes.push(outcome),
    ...options,
  });

beforeEach(async () => {
  server = await StubImageServer.open(IMAGE);
  directory = path.join(mkdtempSync(path.join(os.tmpdir(), 'tenure-media-')), 'cache');
  outcomes = [];
});

afterEach(async () => {
  await server.close();
  rmSync(path.dirname(directory), { recursive: true });
});

const soon = () => deadlineIn(5000);
const images = (): readonly string[] =>
  readdirSync(directory).filter((name) => name.endsWith('.iso'));

describe('the images that boot media are made from', () => {
  it('are fetched once, and revalidated at each boot', async () => {
    const cache = cacheWith();
    expect(await cache.fetch(server.url, soon())).toBe(digestOf(IMAGE));
    expect(await cache.fetch(server.url, soon())).toBe(digestOf(IMAGE));
    // Another life of the conductor.
    expect(await cacheWith().fetch(server.url, soon())).toBe(digestOf(IMAGE));
    expect(server.answered).toEqual(['200', '304', '304']);
    expect(outcomes).toEqual(['fetched', 'unchanged', 'unchanged']);
    const source = await cache.open(digestOf(IMAGE), server.url, soon());
    expect(await source?.read(0, IMAGE.length + 100)).toEqual(IMAGE);
  });

  it('are fetched once for all who need them at the same time', async () => {
    const cache = cacheWith();
    await Promise.all([1, 2, 3].map(() => cache.fetch(server.url, soon())));
    expect(server.answered).toEqual(['200']);
  });

  it('are kept by their content: a boot goes on with the one that it began with', async () => {
    const cache = cacheWith();
    const first = await cache.fetch(server.url, soon());
    server.image = isoImage('AGENT', { 'grub.cfg': 'linux /another' });
    server.etag = '"2"';
    expect(await cache.fetch(server.url, soon())).toBe(digestOf(server.image));
    expect(await (await cache.open(first, server.url, soon()))?.read(0, IMAGE.length)).toEqual(
      IMAGE,
    );
    rmSync(directory, { recursive: true });
    expect(await cache.open(first, server.url, soon())).toBeUndefined();
    expect(await cache.open(digestOf(server.image), server.url, soon())).toBeDefined();
  });

  it('are fetched anew when their server says nothing to know them by', async () => {
    server.etag = undefined;
    const cache = cacheWith();
    await cache.fetch(server.url, soon());
    await cache.fetch(server.url, soon());
    expect(server.answered).toEqual(['200', '200']);
    expect(images()).toHaveLength(1);
  });

  it('take no more space than allowed; the least recently used image is removed first', async () => {
    const cache = cacheWith({ cacheBytes: IMAGE.length * 2 });
    for (const [index, text] of ['a', 'b', 'c'].entries()) {
      server.image = isoImage('AGENT', { 'grub.cfg': text });
      server.etag = `"${text}"`;
      await cache.fetch(`${server.url}?${String(index)}`, soon());
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(new Set(images())).toEqual(
      new Set(['b', 'c'].map((text) => `${digestOf(isoImage('AGENT', { 'grub.cfg': text }))}.iso`)),
    );
  });

  it('are fetched with the account of their address, which a redirect on the same server keeps', async () => {
    server.redirectTo = '/moved.iso';
    const address = server.url.replace('//', '//me:p%40ss@');
    expect(await cacheWith().fetch(address, soon())).toBe(digestOf(IMAGE));
    const account = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
    expect(server.answered).toEqual([`302 ${account}`, `200 ${account}`]);
  });

  it('are not kept where others could put one of theirs', async () => {
    const cache = cacheWith();
    await cache.fetch(server.url, soon());
    chmodSync(directory, 0o777);
    server.etag = '"2"';
    expect(await failureOf(cache.fetch(server.url, soon()))).toMatchObject({
      message: `${PLACE} could not be kept: the directory of the conductor for images is full, or not its own`,
    });
  });
});

describe('an image that is not fetched', () => {
  it.each<readonly [string, (stub: StubImageServer) => void, string, string]>([
    [
      'is missing',
      (stub) => (stub.status = 404),
      'answer',
      `${PLACE} could not be fetched: its server answered 404`,
    ],
    [
      'is somewhere else',
      (stub) => (stub.redirectTo = 'http://127.0.0.2:1/agent.iso'),
      'redirect',
      `${PLACE} could not be fetched: its server redirects elsewhere`,
    ],
    [
      'is no ISO 9660 image',
      (stub) => (stub.image = Buffer.alloc(100_000)),
      'settings',
      `${PLACE} is not a readable ISO 9660 image`,
    ],
    [
      'is hardly anything',
      (stub) => (stub.image = Buffer.from('not found')),
      'settings',
      `${PLACE} is not a readable ISO 9660 image`,
    ],
    [
      'says that it is too large',
      (stub) => (stub.image = Buffer.concat([IMAGE], 1_000_001)),
      'too_large',
      `${PLACE} is larger than 1000000 bytes`,
    ],
    [
      'is too large and does not say so',
      (stub) => {
        stub.image = Buffer.concat([IMAGE], 1_000_001);
        stub.isChunked = true;
      },
      'too_large',
      `${PLACE} is larger than 1000000 bytes`,
    ],
    [
      'stops half way',
      (stub) => (stub.stalls = true),
      'timeout',
      `${PLACE} could not be fetched: its server did not send it in time`,
    ],
  ])('because it %s', async (_what, misbehave, kind, message) => {
    misbehave(server);
    expect(await failureOf(cacheWith().fetch(server.url, soon()))).toMatchObject({ kind, message });
    expect(readdirSync(directory)).toEqual([]);
    expect(outcomes).toEqual(['failed']);
  });

  it('because nobody is there', async () => {
    const { url } = server;
    await server.close();
    expect(await failureOf(cacheWith().fetch(url, soon()))).toMatchObject({
      kind: 'unreachable',
      message: `${PLACE} could not be fetched: its server cannot be reached`,
    });
    server = await StubImageServer.open(IMAGE);
  });

  it('because none is fetched from there', async () => {
    const cache = cacheWith({ guard: addressGuard(false) });
    expect(await failureOf(cache.fetch(server.url, soon()))).toMatchObject({
      kind: 'settings',
      message: `${PLACE} is at an address from which none is fetched`,
    });
    expect(server.answered).toEqual([]);
  });

  it('is given up in time by whoever waits for it', async () => {
    server.stalls = true;
    const cache = cacheWith({ limits: { ...LIMITS, stallMs: 5000 } });
    expect(await failureOf(cache.fetch(server.url, deadlineIn(100)))).toMatchObject({
      kind: 'timeout',
    });
  });

  it('leaves what is in the cache as it was, and is fetched at the next try', async () => {
    const cache = cacheWith();
    await cache.fetch(server.url, soon());
    server.status = 503;
    await failureOf(cache.fetch(server.url, soon()));
    server.status = undefined;
    expect(await cache.fetch(server.url, soon())).toBe(digestOf(IMAGE));
    expect(server.answered).toEqual(['200', '503', '304']);
  });

  it('is fetched again when its cache record is corrupt', async () => {
    const cache = cacheWith();
    await cache.fetch(server.url, soon());
    for (const name of readdirSync(directory).filter((one) => one.endsWith('.json')))
      writeFileSync(path.join(directory, name), '{"digest":"../../x"}');
    expect(await cache.fetch(server.url, soon())).toBe(digestOf(IMAGE));
    expect(server.answered).toEqual(['200', '200']);
  });
});
