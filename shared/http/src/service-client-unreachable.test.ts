import { createSecretKey } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createServiceClient, type ServiceClient } from './service-client.js';
import { LOCK_CONTEXT } from './testing/lock-context.js';

// Listens and takes no connection: once its short queue is full, attempts to connect hang, as they do to an address where nobody is.
const SERVER = `
const { createServer } = require('node:net');
const { parentPort } = require('node:worker_threads');
const server = createServer();
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  parentPort.postMessage(server.address().port);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});
`;
const DEADLINE_MS = 300;
/** One after the other their attempts to connect would take far longer than a test may. */
const CALLS = 100;

let worker: Worker;
let client: ServiceClient;
const inQueue: Socket[] = [];

beforeAll(async () => {
  worker = new Worker(SERVER, { eval: true });
  const [port] = (await once(worker, 'message')) as readonly unknown[]; // what the server says
  inQueue.push(...[1, 2, 3].map(() => connect(Number(port), '127.0.0.1')));
  for (const socket of inQueue) socket.on('error', () => undefined);
  const key = createSecretKey(Buffer.alloc(32, 1));
  client = createServiceClient({
    part: 'inventory',
    baseUrl: `http://127.0.0.1:${String(port)}`,
    keys: { self: 'gateway', outgoing: new Map([['inventory', [key]]]), incoming: new Map() },
    deadlineMs: DEADLINE_MS,
    connections: 1,
  });
});

afterAll(async () => {
  for (const socket of inQueue) socket.destroy();
  await worker.terminate();
});

const call = (): Promise<unknown> =>
  client.call({
    method: 'GET',
    target: '/',
    context: LOCK_CONTEXT,
  });

async function refusalOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'answered';
  } catch (error) {
    return String(error);
  }
}

describe('calls to a part that no connection reaches', () => {
  it('are all given up in time, also those that wait for others', async () => {
    const refusals = await Promise.all(Array.from({ length: CALLS }, () => refusalOf(call())));
    expect(new Set(refusals)).toEqual(
      new Set(['UnavailableError: The inventory service did not answer.']),
    );
  });

  it('are refused at once when too many wait', async () => {
    const calls = Array.from({ length: 1100 }, () => refusalOf(call()));
    expect(await Promise.all(calls)).toContain(
      'UnavailableError: Too many calls wait for the inventory service.',
    );
  });
});
