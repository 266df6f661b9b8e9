import { createSecretKey } from 'node:crypto';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ServiceClient, createServiceClient } from './service-client.js';
import { LOCK_CONTEXT } from './testing/lock-context.js';

// In a thread of its own, so that it answers while this one is stuck.
const SERVER = `
const { createServer } = require('node:http');
const { parentPort } = require('node:worker_threads');
const server = createServer((request, response) => {
  setTimeout(() => response.end('{"locked":true}'), Number(request.url.slice(1)));
});
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;
const DEADLINE_MS = 4000;

let worker: Worker;
let client: ServiceClient;
beforeAll(async () => {
  worker = new Worker(SERVER, { eval: true });
  const [port] = (await once(worker, 'message')) as readonly unknown[]; // what the server says
  const key = createSecretKey(Buffer.alloc(32, 1));
  client = createServiceClient({
    part: 'inventory',
    baseUrl: `http://127.0.0.1:${String(port)}`,
    keys: { self: 'conductor', outgoing: new Map([['inventory', [key]]]), incoming: new Map() },
    deadlineMs: DEADLINE_MS,
  });
});
afterAll(async () => {
  await client.close();
  await worker.terminate();
});

const call = (answerAfterMs: number): Promise<unknown> =>
  client.call({
    method: 'GET',
    target: `/${answerAfterMs}`,
    context: LOCK_CONTEXT,
  });

/** As a process does that was stopped by a signal. */
function freeze(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

describe('a call to another part', () => {
  it('returns an answer that came in time', async () => {
    expect(await call(0)).toEqual({ locked: true });
  });

  it('fails when no answer comes in time', async () => {
    await expect(call(5000)).rejects.toMatchObject({ status: 503 });
  });

  it('does not believe an answer that came in time and is read too late', async () => {
    const pending = call(50);
    // Long enough for the request to leave.
    await new Promise((resolve) => setTimeout(resolve, 20));
    freeze(DEADLINE_MS + 200);
    await expect(pending).rejects.toMatchObject({ status: 503 });
  });
});
