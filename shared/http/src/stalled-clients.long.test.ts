import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { type Listener, startListener } from './listener.js';

const STALLED_MS = 2000;
/** More than the kernel takes for one connection. */
const LARGE = Buffer.alloc(64 * 1024 * 1024, 'a');

let listener: Listener;
const clients: Socket[] = [];
let requests = 0;
let closed = 0;

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await listener.stop();
});

async function start(
  answer: (send: (body: Buffer) => void) => void = (send) => {
    send(LARGE);
  },
): Promise<void> {
  requests = 0;
  closed = 0;
  listener = await startListener(
    (_request, response) => {
      requests += 1;
      response.once('close', () => {
        closed += 1;
      });
      answer((body) => {
        response.end(body);
      });
    },
    { host: '127.0.0.1', port: 0, drainMs: 100, stalledMs: STALLED_MS },
  );
}

async function asking(): Promise<Socket> {
  const client = connect(listener.port, '127.0.0.1');
  clients.push(client);
  client.on('error', () => undefined);
  client.pause();
  await once(client, 'connect');
  client.write('GET / HTTP/1.1\r\nHost: test\r\n\r\n');
  return client;
}

const connections = (): Promise<number> =>
  new Promise((resolve, reject) => {
    listener.server.getConnections((error, count) => {
      if (error === null) resolve(count);
      else reject(error);
    });
  });

async function allAsking(count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, asking));
  while (requests < count) await sleep(5);
}

async function allClosed(): Promise<void> {
  while ((await connections()) > 0 || closed < requests) await sleep(50);
}

/** Bytes of buffers that something still holds. */
async function allocatedBytes(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let round = 0; round < 3; round += 1) {
    collect();
    await sleep(10);
  }
  return process.memoryUsage().arrayBuffers;
}

jest.setTimeout(90_000);

describe('a listener', () => {
  it('closes a hundred clients that never read, and frees their answers', async () => {
    await start();
    await allAsking(100);
    await allClosed();
    expect({ open: await connections(), requests, closed }).toEqual({
      open: 0,
      requests: 100,
      closed: 100,
    });
  });

  it('has the memory of their answers back', async () => {
    const bytes = 16 * 1024 * 1024;
    await start((send) => {
      send(Buffer.alloc(bytes, 'b'));
    });
    const before = await allocatedBytes();
    await allAsking(6);
    expect(process.memoryUsage().arrayBuffers - before).toBeGreaterThan(3 * bytes);
    await allClosed();
    expect((await allocatedBytes()) - before).toBeLessThan(bytes);
  });

  it('sends everything to a client that reads slowly, however long that takes', async () => {
    await start();
    const client = await asking();
    const began = performance.now();
    let bytes = 0;
    while (bytes < LARGE.length && !client.destroyed) {
      await sleep(30);
      bytes += ((client.read(262_144) ?? client.read()) as Buffer | null)?.length ?? 0;
    }
    expect(bytes).toBeGreaterThanOrEqual(LARGE.length);
    expect(performance.now() - began).toBeGreaterThan(3 * STALLED_MS);
  });

  it('keeps a client that waits for longer than that for its answer', async () => {
    await start((send) => {
      setTimeout(() => {
        send(Buffer.from('at last'));
      }, 3 * STALLED_MS);
    });
    const client = await asking();
    const [answer] = (await once(client.resume(), 'data')) as [Buffer];
    expect(answer.toString()).toContain('at last');
  });
});
