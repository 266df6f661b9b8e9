import { once } from 'node:events';
import { createServer, type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { reset } from '../support/reset.js';
import { sleep } from '../support/wait.js';
import { Link } from './link.js';

let server: Server;
let link: Link;
let received = '';

beforeEach(async () => {
  received = '';
  server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.on('data', (bytes) => {
      received += bytes.toString();
      socket.write(bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  link = await Link.open((server.address() as AddressInfo).port);
});
afterEach(() => {
  link.close();
  server.close();
});

async function caller(): Promise<Socket> {
  const socket = connect(link.port, '127.0.0.1');
  socket.on('error', () => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

async function echoOf(socket: Socket, text: string): Promise<string> {
  socket.write(text);
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  return bytes.toString();
}

/** `once` would fail with the error that comes first. */
const end = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    socket.once('close', () => {
      resolve();
    });
  });

describe('a link', () => {
  it('passes bytes both ways', async () => {
    const socket = await caller();
    expect(await echoOf(socket, 'one')).toBe('one');
    socket.destroy();
  });

  it('that is cut resets its connections and new ones, until it is open again', async () => {
    const socket = await caller();
    await echoOf(socket, 'one');
    const closed = end(socket);
    link.set({ kind: 'cut' });
    await closed;
    const second = connect(link.port, '127.0.0.1');
    second.on('error', () => second.destroy());
    await end(second);
    link.set({ kind: 'open' });
    const third = await caller();
    expect(await echoOf(third, 'three')).toBe('three');
    third.destroy();
  });

  it('that is paused delivers late what was sent meanwhile, in its order', async () => {
    const socket = await caller();
    link.set({ kind: 'paused' });
    socket.write('a');
    await sleep(50);
    socket.write('b');
    await sleep(50);
    expect(received).toBe('');
    link.set({ kind: 'open' });
    while (received.length < 2) await sleep(5);
    expect(received).toBe('ab');
    socket.destroy();
  });

  it('delivers what was sent by a caller that has disconnected', async () => {
    const socket = await caller();
    link.set({ kind: 'paused' });
    socket.end('last bytes');
    await sleep(50);
    link.set({ kind: 'open' });
    while (received === '') await sleep(5);
    expect(received).toBe('last bytes');
  });

  it('that is cut closes a connection whose end is under way, which Node does not reset', async () => {
    const socket = await caller();
    const closed = once(socket, 'close');
    socket.end('x');
    reset(socket);
    await closed;
    expect(socket.destroyed).toBe(true);
  });

  it('that is slow delays what passes', async () => {
    const socket = await caller();
    link.set({ kind: 'slow', delayMs: 150 });
    const began = performance.now();
    await echoOf(socket, 'one');
    expect(performance.now() - began).toBeGreaterThanOrEqual(290);
    socket.destroy();
  });
});
