import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { json, sendRaw, tenancyOf } from '../../testing/fakes.js';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.js';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
  gateway.inventory.answer = tenancyOf({}, (_request, response) => {
    json(response, 200, { nodes: [] });
  });
});
afterAll(() => gateway.stop());

const raw = (head: string, body = ''): Promise<string> =>
  sendRaw(gateway.port, `${head.trim().replaceAll('\n', '\r\n')}\r\n\r\n${body}`);
const good = (): string =>
  `Host: tenure.test\nX-Auth-Token: ${gateway.token}\nX-OpenStack-Ironic-API-Version: 1.65`;
const statuses = (answer: string): string[] =>
  [...answer.matchAll(/^HTTP\/1\.1 (\d{3})/gmu)].map((match) => match[1] ?? '');

/** Exactly one answer of that status, with Ironic's body and a request id, and the connection closed. */
const refusedWith = (status: string): object => ({
  statuses: [status],
  closes: true,
  hasRequestId: true,
  isIronic: true,
});
const factsOf = (answer: string): object => ({
  statuses: statuses(answer),
  closes: /\r\nConnection: close\r\n/iu.test(answer),
  hasRequestId: /\r\nX-Openstack-Request-Id: req-[0-9a-f-]{36}\r\n/u.test(answer),
  isIronic: answer.includes('{"error_message":"{\\"faultcode\\":\\"Client\\"'),
});

describe('a request of any client is accepted', () => {
  it('with a slash before the question mark, as python-ironicclient sends it, forwarded byte for byte', async () => {
    const answer = await raw(
      `GET /v1/nodes/?fields=uuid,name%2Cowner HTTP/1.1\n${good()}\nConnection: close`,
    );
    expect(statuses(answer)).toEqual(['200']);
    expect(gateway.inventory.received.at(-1)?.target).toBe('/v1/nodes/?fields=uuid,name%2Cowner');
  });

  it('with a content length of zero on GET and Connection: keep-alive', async () => {
    const answer = await raw(
      `GET /v1/nodes HTTP/1.1\n${good()}\nContent-Length: 0\nConnection: keep-alive\n\nGET /v1/nodes HTTP/1.1\n${good()}\nConnection: close`,
    );
    expect(statuses(answer)).toEqual(['200', '200']);
  });

  it('with a chunked JSON body, which is forwarded with its length', async () => {
    const answer = await raw(
      `POST /v1/nodes HTTP/1.1\n${good()}\nContent-Type: application/json; charset=UTF-8\nTransfer-Encoding: chunked\nConnection: close`,
      '8\r\n{"name":\r\n4\r\n"n"}\r\n0\r\n\r\n',
    );
    expect(statuses(answer)).toEqual(['200']);
    expect(gateway.inventory.received.at(-1)).toMatchObject({
      body: '{"name":"n"}',
      headers: { 'content-length': '12' },
    });
  });
});

describe('a request with two readings is refused once, and the connection closes', () => {
  it.each([
    ['Expect', 'GET /v1/nodes', 'Expect: 100-continue', '417'],
    ['another Expect', 'GET /v1/nodes', 'Expect: tea', '417'],
    ['Upgrade', 'GET /v1/nodes', 'Upgrade: websocket\nConnection: Upgrade', '400'],
    ['a header named by Connection', 'GET /v1/nodes', 'Connection: x-tenure-context', '400'],
    ['a second Host', 'GET /v1/nodes', 'Host: other.test', '400'],
    ['a second X-Auth-Token', 'GET /v1/nodes', 'X-Auth-Token: t', '400'],
    ['both token headers', 'GET /v1/nodes', 'Authorization: Bearer t', '400'],
    ['two content lengths', 'POST /v1/nodes', 'Content-Length: 2\nContent-Length: 3', '400'],
    [
      'a content length and chunks',
      'POST /v1/nodes',
      'Content-Length: 2\nTransfer-Encoding: chunked',
      '400',
    ],
    ['a coding before chunked', 'POST /v1/nodes', 'Transfer-Encoding: gzip, chunked', '400'],
    ['a chunked GET', 'GET /v1/nodes', 'Transfer-Encoding: chunked', '400'],
    ['a chunked DELETE', 'DELETE /v1/nodes/n', 'Transfer-Encoding: chunked', '400'],
    ['a GET with a body', 'GET /v1/nodes', 'Content-Length: 5', '400'],
    ['a DELETE with a body', 'DELETE /v1/nodes/n', 'Content-Length: 5', '400'],
    ['an OPTIONS with a body', 'OPTIONS /v1/nodes', 'Content-Length: 5', '400'],
    ['TRACE', 'TRACE /v1/nodes', 'X: y', '405'],
    ['CONNECT', 'CONNECT tenure.test:80', 'X: y', '400'],
    ['a content encoding', 'POST /v1/nodes', 'Content-Encoding: gzip\nContent-Length: 2', '415'],
    ['an underscore in a header name', 'GET /v1/nodes', 'X_Roles: admin', '400'],
    ['a dot in a header name', 'GET /v1/nodes', 'X.Roles: admin', '400'],
    [
      'a body over the limit',
      'POST /v1/nodes',
      'Content-Type: application/json\nContent-Length: 99999999',
      '413',
    ],
    [
      'another content type',
      'POST /v1/nodes',
      'Content-Type: text/plain\nContent-Length: 2',
      '415',
    ],
    ['no content type', 'POST /v1/nodes', 'Content-Length: 2', '415'],
    ['an absolute target', 'GET http://tenure.test/v1/nodes', 'X: y', '400'],
    ['an asterisk target', 'OPTIONS *', 'X: y', '400'],
    ['an empty segment', 'GET /v1//nodes', 'X: y', '400'],
    ['an empty first segment', 'GET //v1/nodes', 'X: y', '400'],
    ['a dot segment', 'GET /v1/./nodes', 'X: y', '400'],
    ['a double-dot segment', 'GET /v1/nodes/../allocations', 'X: y', '400'],
    ['an encoded slash', 'GET /v1/nodes/a%2Fb', 'X: y', '400'],
    ['an encoded backslash', 'GET /v1/nodes/a%5cb', 'X: y', '400'],
    ['an encoded NUL', 'GET /v1/nodes/a%00', 'X: y', '400'],
    ['an encoded dot segment', 'GET /v1/nodes/%2e%2e', 'X: y', '400'],
    ['an encoded question mark', 'GET /v1/nodes/a%3fb', 'X: y', '400'],
    ['an encoded percent', 'GET /v1/nodes/a%252fb', 'X: y', '400'],
    ['a malformed escape', 'GET /v1/nodes/a%zz', 'X: y', '400'],
    ['a backslash', 'GET /v1/nodes\\a', 'X: y', '400'],
    ['a fragment', 'GET /v1/nodes#a', 'X: y', '400'],
    ['a target that is not ASCII', 'GET /v1/nodes/\u00e9', 'X: y', '400'],
    ['an unknown query key', 'GET /v1/nodes?foo=1', 'X: y', '400'],
    ['an operator in a query key', 'GET /v1/nodes?owner[$ne]=1', 'X: y', '400'],
    ['a $where', 'GET /v1/nodes?$where=1', 'X: y', '400'],
    ['a query key twice', 'GET /v1/nodes?owner=a&owner=b', 'X: y', '400'],
    ['a query key twice, once encoded', 'GET /v1/nodes?owner=a&%6fwner=b', 'X: y', '400'],
    ['a control character in the query', 'GET /v1/nodes?owner=a%0d', 'X: y', '400'],
  ])('%s', async (_what, line, headers, status) => {
    const before = gateway.inventory.received.length;
    const answer = await raw(`${line} HTTP/1.1\n${good()}\n${headers}`);
    expect(factsOf(answer)).toEqual(refusedWith(status));
    expect(gateway.inventory.received).toHaveLength(before);
  });

  it('no Host', async () => {
    expect(factsOf(await raw('GET /v1 HTTP/1.1\nX: y'))).toEqual(refusedWith('400'));
  });

  it('malformed HTTP', async () => {
    expect(factsOf(await raw('GET /v1 HTTP/1.1\nHost: a\nbad header'))).toEqual(refusedWith('400'));
    expect(factsOf(await raw(`GET /v1 HTTP/1.1\nHost: a\nX: ${'y'.repeat(20_000)}`))).toEqual(
      refusedWith('431'),
    );
    expect(
      factsOf(
        await raw(
          `POST /v1/nodes HTTP/1.1\n${good()}\nContent-Type: application/json\nTransfer-Encoding: chunked`,
          'zz\r\n',
        ),
      ),
    ).toEqual(refusedWith('400'));
  });

  it('more headers than Node would show us', async () => {
    expect(
      factsOf(await raw(`GET /v1 HTTP/1.1\nHost: a\n${'a: b\n'.repeat(2100)}Host: c`)),
    ).toEqual(refusedWith('431'));
  });

  it('and what follows it on the connection is not handled', async () => {
    const before = gateway.inventory.received.length;
    const answer = await raw(
      `DELETE /v1/nodes/n HTTP/1.1\n${good()}\nTransfer-Encoding: chunked`,
      `0\r\n\r\nGET /v1/nodes HTTP/1.1\r\n${good().replaceAll('\n', '\r\n')}\r\n\r\n`,
    );
    expect(factsOf(answer)).toEqual(refusedWith('400'));
    expect(gateway.inventory.received).toHaveLength(before);
  });

  it('but the answer to an earlier request of the connection comes first', async () => {
    const answer = await raw(`GET /v1/nodes HTTP/1.1\n${good()}\n\nBAD\u0000`);
    expect(statuses(answer)).toEqual(['200', '400']);
  });
});

describe('a JSON body', () => {
  it.each([
    ['malformed', '{"a":', '400'],
    ['not UTF-8', '{"a":"\u00ff"}', '400'],
    ['deeper than 64', `${'['.repeat(65)}${']'.repeat(65)}`, '400'],
    ['with __proto__', '{"driver_info":{"__proto__":{"a":1}}}', '400'],
    ['with a member twice', '{"name":"a","na\\u006de":"b"}', '400'],
  ])('that is %s is refused', async (_what, body, status) => {
    const answer = await raw(
      `POST /v1/nodes HTTP/1.1\n${good()}\nContent-Type: application/json\nContent-Length: ${body.length}`,
      body,
    );
    expect(factsOf(answer)).toEqual(refusedWith(status));
  });

  it('over the limit, in chunks, is refused while it arrives, and the answer can be read', async () => {
    const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`;
    const answer = await raw(
      `PUT /v1/nodes/n/maintenance HTTP/1.1\n${good()}\nContent-Type: application/json\nTransfer-Encoding: chunked`,
      `${chunk.repeat(20)}0\r\n\r\n`,
    );
    expect(factsOf(answer)).toEqual(refusedWith('413'));
  });

  it('with the same member in different objects is accepted', async () => {
    const body = '{"extra":{"x":"a\\"{"},"properties":[{"x":1},{"x":2}]}';
    const answer = await raw(
      `POST /v1/nodes HTTP/1.1\n${good()}\nContent-Type: application/json\nContent-Length: ${body.length}\nConnection: close`,
      body,
    );
    expect(statuses(answer)).toEqual(['200']);
  });
});

describe('a request that does not arrive in time', () => {
  it.each([
    ['announced', 'Content-Length: 20', '{"driver":'],
    ['in chunks', 'Transfer-Encoding: chunked', '5\r\n{"a":\r\n'],
  ])('is a 408 while its body trickles in, %s, and goes nowhere', async (_what, framing, body) => {
    const slow = await startTestGateway({ bodyDeadlineMs: 100 });
    const head = `POST /v1/nodes HTTP/1.1\nHost: a\nX-Auth-Token: ${slow.token}\nContent-Type: application/json\n${framing}`;
    const answer = await sendRaw(slow.port, `${head.replaceAll('\n', '\r\n')}\r\n\r\n${body}`);
    expect(factsOf(answer)).toEqual(refusedWith('408'));
    expect(slow.log).toMatchObject([{ route: '/v1/nodes', status: 408 }]);
    expect(slow.inventory.received).toHaveLength(0);
    await slow.stop();
  });
});
