import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHttpReceiver } from './record-receiver-http.js';

interface Got {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

const got: Got[] = [];
let status = 200;
let server: Server;
let url: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url: path, headers } = request;
      got.push({
        method,
        path,
        headers,
        body: JSON.parse(String(gunzipSync(Buffer.concat(chunks)))),
      });
      response.writeHead(status).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/opa/`; // an address of TCP
});
afterAll(() => {
  server.close();
});

const records = ['{"decision_id":"1"}', '{"decision_id":"2"}'].map((text) => Buffer.from(text));

describe('a service that takes decision logs as OPA sends them', () => {
  it('gets a gzipped array by POST to /logs', async () => {
    const receiver = createHttpReceiver({ url, token: () => 'secret', deadlineMs: 15_000 });
    await receiver.send(records);
    await receiver.close();
    expect(got).toMatchObject([
      {
        method: 'POST',
        path: '/opa/logs',
        headers: {
          'content-type': 'application/json',
          'content-encoding': 'gzip',
          authorization: 'Bearer secret',
        },
        body: [{ decision_id: '1' }, { decision_id: '2' }],
      },
    ]);
  });

  it('has not taken what it did not answer with success', async () => {
    const receiver = createHttpReceiver({ url, token: undefined, deadlineMs: 15_000 });
    status = 429;
    await expect(receiver.send(records)).rejects.toThrow('the log service answered 429');
    await receiver.close();
  });
});
