import { mkdtempSync, rmSync } from 'node:fs';
import { get as httpGet } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { NotFoundError, type NodeRecord, UnavailableError } from '@tenure/contracts';
import { addressGuard, type Listener, startListener } from '@tenure/http';
import { createLogger, deadlineIn } from '@tenure/process';
import { aNode } from '@tenure/testing';
import { createBootMedia, type ServedBootMedia } from '../adapters/media/boot-media.js';
import { createImageCache, type ImageCache } from '../adapters/media/image-cache.js';
import { DOWNLOAD_LIMITS } from '../adapters/media/image-download.js';
import { withAgentBoot } from '../domain/agent.js';
import { isoImage } from '../domain/iso9660.js';
import { StubImageServer } from '../testing/image-server.js';
import { failureOf } from '../testing/redfish-bench.js';
import { createMediaHandler, MEDIA_LIMITS, type MediaLimits } from './media-listener.js';

const SECRET = 's'.repeat(43);
const TREE = {
  boot: { grub: { 'grub.cfg': 'linux /vmlinuz quiet\n' } },
  vmlinuz: 'k'.repeat(900_000),
};
const IMAGE = isoImage('AGENT', TREE);

let images: StubImageServer;
let directory: string;
let nodes: Map<string, NodeRecord>;
let away: boolean;
let listener: Listener;
let lines: string[];
let counted: string[];
let sent: number;

const mediaOver = (cache: ImageCache): ServedBootMedia =>
  createBootMedia({
    cache,
    mediaUrl: () => 'http://media.example',
    apiUrl: 'http://10.0.0.1:6385',
    nodeOf: (uuid) => {
      if (away) return Promise.reject(new UnavailableError('The inventory does not answer.'));
      const node = nodes.get(uuid);
      return node === undefined
        ? Promise.reject(NotFoundError.of('Node', uuid))
        : Promise.resolve(node);
    },
  });

const openCache = (): ImageCache =>
  createImageCache({
    directory,
    maxBytes: 10_000_000,
    cacheBytes: 10_000_000,
    guard: addressGuard(true),
    limits: DOWNLOAD_LIMITS,
    stopping: new AbortController().signal,
    observe: () => undefined,
  });

async function listen(limits: Partial<MediaLimits> = {}, media = mediaOver(openCache())) {
  const logger = createLogger('conductor', 'debug', { write: (line: string) => lines.push(line) });
  const metrics = {
    answered: (status: number) => counted.push(String(status)),
    sent: (bytes: number) => (sent += bytes),
  };
  const handler = createMediaHandler({
    find: media.find,
    logger,
    metrics,
    limits: { ...MEDIA_LIMITS, trustMs: 0, ...limits },
  });
  listener = await startListener(handler, { host: '127.0.0.1', port: 0, drainMs: 100 });
  return media;
}

beforeEach(async () => {
  images = await StubImageServer.open(IMAGE);
  directory = mkdtempSync(path.join(os.tmpdir(), 'tenure-media-'));
  nodes = new Map();
  away = false;
  lines = [];
  counted = [];
  sent = 0;
});

afterEach(async () => {
  await listener.stop();
  await images.close();
  rmSync(directory, { recursive: true });
});

function booted(image: string, work = 'deploy'): NodeRecord {
  const node = aNode({
    driver_info: { deploy_iso: images.url },
    provision_state: 'wait call-back',
    driver_internal_info: withAgentBoot({}, SECRET, {
      id: 'boot-1',
      work,
      tenancyRevision: 1,
      startedAt: '2026-11-22T00:00:00Z',
      image,
    }),
  });
  nodes.set(node.uuid, node);
  return node;
}

/** Publishes the medium of a node that boots; its path. */
async function publish(media: ServedBootMedia, work?: string) {
  const node = booted(await media.fetch(images.url, deadlineIn(5000)), work);
  const address = await media.publish(node, deadlineIn(5000));
  expect(address).toMatch(/^http:\/\/media\.example\/media\//u);
  return { node, place: new URL(address).pathname };
}

const ask = (place: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`http://127.0.0.1:${String(listener.port)}${place}`, init);

describe('a machine that boots', () => {
  it('reads its medium, with its own secret in it, whole and in pieces', async () => {
    const { node, place } = await publish(await listen());
    const whole = await ask(place);
    expect([whole.status, whole.headers.get('accept-ranges')]).toEqual([200, 'bytes']);
    const bytes = Buffer.from(await whole.arrayBuffer());
    expect(whole.headers.get('content-length')).toBe(String(bytes.length));
    expect(bytes.toString('latin1')).toContain(
      `linux /vmlinuz quiet ipa-agent-token=${SECRET} ipa-api-url=http://10.0.0.1:6385\n`,
    );
    const pieces: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += 300_000) {
      const range = `bytes=${String(at)}-${String(at + 299_999)}`;
      const piece = await ask(place, { headers: { range } });
      const last = Math.min(at + 299_999, bytes.length - 1);
      expect([piece.status, piece.headers.get('content-range')]).toEqual([
        206,
        `bytes ${String(at)}-${String(last)}/${String(bytes.length)}`,
      ]);
      pieces.push(Buffer.from(await piece.arrayBuffer()));
    }
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
    expect(sent).toBe(2 * bytes.length);
    expect(lines.join('')).not.toContain(place.slice(-40));
    expect(lines.join('')).toContain(`/media/${node.uuid}/******.iso`);
  });

  it('hears how long it is without reading it, and that there is nothing behind its end', async () => {
    const { place } = await publish(await listen());
    const head = await ask(place, { method: 'HEAD', headers: { range: 'bytes=0-1' } });
    const size = Number(head.headers.get('content-length'));
    expect([head.status, size > IMAGE.length]).toEqual([200, true]);
    const behind = await ask(place, { headers: { range: `bytes=${String(size)}-` } });
    expect([behind.status, behind.headers.get('content-range')]).toEqual([
      416,
      `bytes */${String(size)}`,
    ]);
    expect(sent).toBe(0);
  });

  it('reads on from where it was only when the medium is still the same', async () => {
    const { place } = await publish(await listen());
    const condition = (tag: string) => ({ headers: { range: 'bytes=0-9', 'if-range': tag } });
    const first = await ask(place, condition('"boot-1"'));
    expect([first.status, await first.text()]).toEqual([206, '\0'.repeat(10)]);
    expect((await ask(place, condition('"boot-0"'))).status).toBe(200);
  });

  it('reads its medium from another conductor, too, and from a later life of this one', async () => {
    const { place } = await publish(await listen());
    const before = await (await ask(place)).text();
    await listener.stop();
    rmSync(directory, { recursive: true });
    await listen();
    expect(await (await ask(place)).text()).toBe(before);
    await listener.stop();
    rmSync(directory, { recursive: true });
    // The image that the boot began with is nowhere any more.
    images.image = isoImage('AGENT', { boot: { grub: { 'grub.cfg': 'linux /another\n' } } });
    images.etag = '"2"';
    await listen();
    expect((await ask(place)).status).toBe(404);
  });

  it('has, for an inspection, the callback with which its agent proves itself', async () => {
    const { node, place } = await publish(await listen(), 'inspect');
    expect(await (await ask(place)).text()).toContain(
      ` ipa-inspection-callback-url=http://${node.uuid}:${SECRET}@10.0.0.1:6385/v1/continue_inspection\n`,
    );
  });
});

describe('whoever else asks', () => {
  it('for anything but the medium of a boot that goes on hears that there is nothing', async () => {
    const media = await listen();
    const { node, place } = await publish(media);
    const wrong = `${place.slice(0, -5)}${place.at(-5) === 'A' ? 'B' : 'A'}.iso`;
    for (const other of ['/', '/media/', `/media/${node.uuid}/`, wrong, `${place}?x=1`, '/metrics'])
      expect([other, (await ask(other)).status]).toEqual([other, 404]);
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
      expect([method, (await ask(place, { method })).status]).toEqual([method, 404]);
    const missing = place.replace(node.uuid, '99999999-9999-4999-8999-999999999999');
    const answers = await Promise.all([ask(wrong), ask(missing)]);
    const [first, second] = answers.map((answer) => [answer.status, [...answer.headers.keys()]]);
    expect(first).toEqual(second);
    expect(sent).toBe(0);
  });

  it.each<readonly [string, Partial<NodeRecord>]>([
    ['has ended', { provision_state: 'active', driver_internal_info: {} }],
    ['has failed', { provision_state: 'deploy failed' }],
    ['was of another tenancy', { tenancy_revision: 2 }],
  ])('for the medium of a boot that %s hears the same', async (_what, fields) => {
    const { node, place } = await publish(await listen());
    expect((await ask(place, { method: 'HEAD' })).status).toBe(200);
    nodes.set(node.uuid, { ...node, ...fields });
    expect((await ask(place)).status).toBe(404);
  });

  it('is cut off when the boot ends while it reads', async () => {
    const { node, place } = await publish(await listen());
    const answer = await new Promise<NodeJS.ReadableStream>((resolve) => {
      httpGet(`http://127.0.0.1:${String(listener.port)}${place}`, (response) => {
        response.pause();
        nodes.set(node.uuid, { ...node, provision_state: 'active' });
        resolve(response);
      });
    });
    const read = new Promise((resolve, reject) => {
      answer.on('end', resolve).on('error', reject);
      answer.resume();
    });
    await expect(read).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(sent).toBeLessThan(IMAGE.length);
  });

  it('gets a 503 with Retry-After while the inventory is unavailable, or at too many requests', async () => {
    const { place } = await publish(await listen());
    away = true;
    const late = await ask(place);
    expect([late.status, late.headers.get('retry-after')]).toEqual([503, '5']);
    away = false;
    await listener.stop();
    await listen({ streams: 0 });
    expect((await ask(place)).status).toBe(503);
    await listener.stop();
    await listen({ lookups: 0 });
    expect((await ask(place)).status).toBe(503);
    expect(counted).toEqual(['503', '503', '503']);
  });
});

describe('a medium', () => {
  it('is not published without a boot, or of an image without a command line', async () => {
    const media = await listen();
    const node = aNode({ driver_info: { deploy_iso: images.url } });
    expect(await failureOf(media.publish(node, deadlineIn(1000)))).toMatchObject({
      kind: 'settings',
    });
    images.image = isoImage('AGENT', { readme: 'nothing' });
    const digest = await media.fetch(images.url, deadlineIn(1000));
    expect(await failureOf(media.publish(booted(digest), deadlineIn(1000)))).toMatchObject({
      kind: 'settings',
      message: expect.stringContaining('grub.cfg, isolinux.cfg'),
    });
  });
});
