import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { writeBundleEntries } from '@tenure/policy/runtime';
import { type PolicySource, SourceAway } from '../ports/policy-source.js';
import { createUrlPolicySource } from './policy-source-url.js';

const bundleWith = (data: string): Buffer =>
  writeBundleEntries(new Map([['data.json', Buffer.from(data)]]));

let respond: (request: IncomingMessage, response: ServerResponse) => void;
let seen: IncomingMessage['headers'][] = [];
const server = createServer((request, response) => {
  seen.push(request.headers);
  respond(request, response);
});
let source: PolicySource;
let token: string | undefined;

beforeEach(async () => {
  seen = [];
  token = undefined;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a listening TCP server's address is an AddressInfo
  source = createUrlPolicySource({
    url: `http://127.0.0.1:${port}/b.tar.gz?signature=secret`,
    overlays: [],
    token: () => token,
    deadlineMs: 3000,
    maxBytes: 10_000,
  });
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function serve(content: Buffer, etag?: string): void {
  respond = (request, response) => {
    if (etag !== undefined && request.headers['if-none-match'] === etag)
      response.writeHead(304).end();
    else response.writeHead(200, etag === undefined ? {} : { etag }).end(content);
  };
}

describe('a bundle on a web server', () => {
  it('is read once and requested with its ETag from then on', async () => {
    serve(bundleWith('{"a":1}'), '"one"');
    const print = await source.fingerprint();
    expect((await source.read()).bundle.get('data.json')).toEqual(Buffer.from('{"a":1}'));
    expect(await source.fingerprint()).toBe(print);
    expect(seen.map((headers) => headers['if-none-match'])).toEqual([undefined, '"one"']);
    serve(bundleWith('{"a":2}'), '"two"');
    expect(await source.fingerprint()).not.toBe(print);
    expect((await source.read()).bundle.get('data.json')).toEqual(Buffer.from('{"a":2}'));
  });

  it('is the same without an ETag while its bytes are', async () => {
    serve(bundleWith('{}'));
    expect(await source.fingerprint()).toBe(await source.fingerprint());
  });

  it('is requested with the current token', async () => {
    serve(bundleWith('{}'));
    token = 'first';
    await source.fingerprint();
    token = 'second';
    await source.fingerprint();
    expect(seen.map(({ authorization }) => authorization)).toEqual([
      'Bearer first',
      'Bearer second',
    ]);
  });

  it('is named without the query, which may be secret', () => {
    expect(source.name).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/b\.tar\.gz$/u);
  });

  it.each<[string, () => void, string]>([
    [
      'is refused',
      () => (respond = (_, response) => response.writeHead(403).end()),
      'it answered 403',
    ],
    [
      'sends elsewhere',
      () => (respond = (_, response) => response.writeHead(302, { location: '/' }).end()),
      'it answered 302',
    ],
    ['never answers', () => (respond = () => undefined), 'no bundle from'],
    [
      'breaks off',
      () =>
        (respond = (_, response) =>
          response.writeHead(200, { 'content-length': '50' }).end('half')),
      'no bundle from',
    ],
    [
      'is too large',
      () => {
        serve(Buffer.alloc(10_001));
      },
      'the bundle is larger than 10000 bytes',
    ],
    [
      'says 304 to nothing',
      () => (respond = (_, response) => response.writeHead(304).end()),
      'it answered 304',
    ],
  ])('is unavailable when it %s', async (_what, prepare, message) => {
    prepare();
    const error: unknown = await source.fingerprint().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SourceAway);
    expect((error as SourceAway).message).toContain(message);
    expect((error as SourceAway).message).not.toContain('secret');
  });

  it('is refused, not unavailable, when it is no bundle', async () => {
    serve(Buffer.from('nonsense'));
    await source.fingerprint();
    await expect(source.read()).rejects.toThrow('the bundle is not gzip');
  });
});
