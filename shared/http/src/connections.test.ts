import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type Connections, watchConnections } from './connections.js';

const ASK = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const NO_HURRY = 60_000;

interface Watched {
  readonly connections: Connections;
  readonly port: number;
  /** Answers that the handler has not given yet. */
  readonly pending: ServerResponse[];
}

const servers: Server[] = [];
const clients: Socket[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

async function listening({
  holds = false,
  maxAgeMs = NO_HURRY,
}: { readonly holds?: boolean; readonly maxAgeMs?: number } = {}): Promise<Watched> {
  const pending: ServerResponse[] = [];
  const created = createServer((request, response) => {
    connections.began(request, response);
    if (holds) pending.push(response);
    else response.end('done');
  });
  servers.push(created);
  const connections = watchConnections(created, { maxAgeMs });
  await new Promise<void>((resolve) => created.listen(0, '127.0.0.1', resolve));
  return { connections, pending, port: (created.address() as AddressInfo).port }; // a listening TCP server's address is an AddressInfo
}

async function connected(port: number): Promise<Socket> {
  const client = connect(port, '127.0.0.1');
  clients.push(client);
  await once(client, 'connect');
  return client;
}

/** The `Connection` header of the response to one request. */
async function connectionHeaderOf(client: Socket): Promise<string | undefined> {
  client.write(ASK);
  const [bytes] = (await once(client, 'data')) as readonly Buffer[];
  return /^connection: (\S+)/imu.exec(String(bytes))?.[1];
}

describe('a connection', () => {
  it('is kept while it is young, and ends with an answer when it is old', async () => {
    const young = await connected((await listening()).port);
    expect([await connectionHeaderOf(young), await connectionHeaderOf(young)]).toEqual([
      'keep-alive',
      'keep-alive',
    ]);
    const old = await connected((await listening({ maxAgeMs: 0 })).port);
    const ended = once(old, 'close');
    expect(await connectionHeaderOf(old)).toBe('close');
    await ended;
  });
});

describe('a server that stops', () => {
  it('serves kept and new connections during the shutdown delay, and ends each with its answer', async () => {
    const { connections, port } = await listening();
    const kept = await connected(port);
    await connectionHeaderOf(kept);
    const idle = await connected(port);
    const stopped = connections.stop({ shutdownDelayMs: NO_HURRY, drainMs: NO_HURRY });
    expect(await connectionHeaderOf(await connected(port))).toBe('close');
    expect(await connectionHeaderOf(kept)).toBe('close');
    // The last connection: nobody is left to wait for.
    expect(await connectionHeaderOf(idle)).toBe('close');
    await stopped;
    await expect(connected(port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('still serves a connection that was idle for long when the stop began, and closes it in the end', async () => {
    const { connections, port } = await listening();
    const [idle, unused] = [await connected(port), await connected(port)];
    await connectionHeaderOf(idle);
    await new Promise((resolve) => setTimeout(resolve, 600));
    const closed = once(unused, 'close');
    const stopped = connections.stop({ shutdownDelayMs: 500, drainMs: NO_HURRY });
    expect(await connectionHeaderOf(idle)).toBe('close');
    await Promise.all([stopped, closed]);
  });

  it('finishes a request in progress, with `Connection: close`', async () => {
    const { connections, pending, port } = await listening({ holds: true });
    const answer = connectionHeaderOf(await connected(port));
    while (pending.length === 0) await new Promise(setImmediate);
    const stopped = connections.stop({ shutdownDelayMs: 0, drainMs: NO_HURRY });
    pending[0]?.end('late');
    expect(await answer).toBe('close');
    await stopped;
  });

  it('closes idle connections at once without a shutdown delay, and cuts those that do not end in time', async () => {
    const { connections, pending, port } = await listening({ holds: true });
    const idle = await connected(port);
    const busy = await connected(port);
    busy.write(ASK);
    while (pending.length === 0) await new Promise(setImmediate);
    const ends = Promise.all([once(idle, 'close'), once(busy, 'close')]);
    await Promise.all([connections.stop({ shutdownDelayMs: 0, drainMs: 200 }), ends]);
    expect(pending).toHaveLength(1);
  });
});
