import { beforeAll, describe, expect, it } from '@jest/globals';
import { availableNode } from '../support/fleet.js';
import { ask, faultString, type RawResult, sendRaw } from '../support/http-client.js';
import { inProject, newProject, systemAdmin } from '../support/personas.js';
import { sharedTenure, type Tenure } from '../support/tenure.js';

// Bytes on a raw connection: what no well-meaning client sends. Each gets exactly one answer, in Ironic's body, and
// where the parser could lose its place in the stream the connection is closed.

const project = newProject('raw');
const otherProject = newProject('raw-other');
const member = inProject(project, 'member');
const reader = inProject(project, 'reader');
const mine = availableNode(`${project}-node`, { owner: project });
const foreign = availableNode(`${otherProject}-node`, { owner: otherProject });

let tenure: Tenure;
let token: string;
let readerToken: string;
let adminToken: string;

beforeAll(async () => {
  tenure = await sharedTenure();
  await tenure.importDocument({ nodes: [mine, foreign] });
  [token, readerToken, adminToken] = await Promise.all([
    tenure.token(member),
    tenure.token(reader),
    tenure.token(systemAdmin),
  ]);
});

interface Draft {
  readonly method?: string;
  readonly target?: string;
  readonly version?: string;
  /** Header lines as they are; the token is added unless one of them is a token. */
  readonly headers?: readonly string[];
  readonly host?: readonly string[];
  readonly body?: string;
}

function bytes({
  method = 'GET',
  target = '/v1/nodes',
  version = '1.1',
  headers = [],
  host = ['Host: tenure.example'],
  body = '',
}: Draft): string {
  const token_ = headers.some((line) => /^(x-auth-token|authorization):/i.test(line))
    ? []
    : [`X-Auth-Token: ${token}`];
  return [`${method} ${target} HTTP/${version}`, ...host, ...token_, ...headers, '', body].join(
    '\r\n',
  );
}

const send = (draft: Draft): Promise<RawResult> => sendRaw(tenure.ports.gateway, bytes(draft));

function expectRefusal(result: RawResult, statuses: readonly number[]): void {
  expect(result.answers.map(({ status }) => status)).toHaveLength(1);
  const [answer] = result.answers;
  expect(statuses).toContain(answer?.status);
  expect(faultString(answer?.body ?? '')).toEqual(expect.any(String));
  expect(answer?.head).toMatch(/^x-openstack-request-id: req-/im);
}

function post(body: string): Draft {
  return {
    method: 'POST',
    headers: [
      'Content-Type: application/json',
      `Content-Length: ${String(Buffer.byteLength(body))}`,
    ],
    body,
  };
}

const smuggled = 'GET /v1/nodes HTTP/1.1\r\nHost: tenure.example\r\n\r\n';

// Requests that may confuse two parsers about where a request ends: refused, and the connection is closed.
const fatal: readonly (readonly [string, Draft, readonly number[]])[] = [
  ['no HTTP at all', { method: 'HELLO THERE', target: '', version: 'x' }, [400]],
  ['an unknown method', { method: 'FROB' }, [400, 405, 501]],
  [
    'Expect',
    {
      method: 'POST',
      headers: ['Expect: 100-continue', 'Content-Type: application/json', 'Content-Length: 2'],
      body: '{}',
    },
    [400, 417],
  ],
  ['an Expect of something unknown', { headers: ['Expect: coffee'] }, [400, 417]],
  [
    'Upgrade to a websocket',
    {
      headers: [
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: dGVudXJlIHRlbnVyZSB0ZQ==',
      ],
    },
    [400, 426, 501],
  ],
  [
    'Upgrade to h2c',
    {
      headers: [
        'Connection: Upgrade, HTTP2-Settings',
        'Upgrade: h2c',
        'HTTP2-Settings: AAMAAABkAAQAAP__',
      ],
    },
    [400, 426, 501],
  ],
  ['an unusual Connection token', { headers: ['Connection: X-Auth-Token'] }, [400]],
  ['no Host', { host: [] }, [400]],
  ['two Host headers', { host: ['Host: tenure.example', 'Host: evil.example'] }, [400]],
  [
    'two Host headers that agree',
    { host: ['Host: tenure.example', 'Host: tenure.example'] },
    [400],
  ],
  ['an absolute-form target', { target: 'http://tenure.example/v1/nodes' }, [400]],
  ['an absolute-form target elsewhere', { target: 'http://169.254.169.254/latest' }, [400]],
  ['CONNECT', { method: 'CONNECT', target: 'evil.example:443' }, [400, 405, 501]],
  [
    'Content-Length with Transfer-Encoding',
    {
      method: 'POST',
      headers: [
        'Content-Type: application/json',
        'Content-Length: 5',
        'Transfer-Encoding: chunked',
      ],
      body: `0\r\n\r\n${smuggled}`,
    },
    [400],
  ],
  [
    'two different Content-Lengths',
    {
      method: 'POST',
      headers: ['Content-Type: application/json', 'Content-Length: 2', 'Content-Length: 60'],
      body: `{}${smuggled}`,
    },
    [400],
  ],
  [
    'a Content-Length that is no number',
    {
      method: 'POST',
      headers: ['Content-Type: application/json', 'Content-Length: 0x10'],
      body: '{}',
    },
    [400],
  ],
  [
    'an unknown transfer coding',
    {
      method: 'POST',
      headers: ['Content-Type: application/json', 'Transfer-Encoding: xchunked'],
      body: `0\r\n\r\n${smuggled}`,
    },
    [400, 501],
  ],
  [
    'a broken chunk size',
    {
      method: 'POST',
      headers: ['Content-Type: application/json', 'Transfer-Encoding: chunked'],
      body: `zz\r\n{}\r\n0\r\n\r\n${smuggled}`,
    },
    [400],
  ],
  [
    'a chunked DELETE',
    {
      method: 'DELETE',
      target: '/v1/nodes/none',
      headers: ['Transfer-Encoding: chunked'],
      body: `0\r\n\r\n${smuggled}`,
    },
    [400],
  ],
  [
    'a chunked GET',
    { headers: ['Transfer-Encoding: chunked'], body: `0\r\n\r\n${smuggled}` },
    [400],
  ],
  [
    'a body on OPTIONS',
    { method: 'OPTIONS', headers: ['Content-Length: 5'], body: 'GET /' },
    [400, 405],
  ],
  [
    'a chunked OPTIONS',
    { method: 'OPTIONS', headers: ['Transfer-Encoding: chunked'], body: `0\r\n\r\n${smuggled}` },
    [400, 405],
  ],
  ['a space before the colon of a header', { headers: ['Content-Length : 2'], body: '{}' }, [400]],
  ['a folded header', { headers: ['X-Note: one', ' two'] }, [400]],
  ['a bare line feed between headers', { headers: ['X-Note: one\nX-Roles: admin'] }, [400]],
  ['a NUL in a header', { headers: ['X-Note: a\0b'] }, [400]],
  ['headers over 16 KB', { headers: [`X-Note: ${'a'.repeat(17_000)}`] }, [400, 431]],
  [
    'a content coding',
    {
      method: 'POST',
      headers: ['Content-Type: application/json', 'Content-Encoding: gzip', 'Content-Length: 2'],
      body: '{}',
    },
    [400, 415],
  ],
];

// Malicious requests: refused with 400; the connection may stay open or be closed.
const hostile: readonly (readonly [string, Draft])[] = [
  ['an encoded slash', { target: `/v1/nodes%2F${mine.uuid}` }],
  ['an encoded backslash', { target: `/v1/nodes/..%5C${mine.uuid}` }],
  ['a backslash', { target: `/v1\\nodes/${mine.uuid}` }],
  ['an encoded NUL', { target: `/v1/nodes/${mine.uuid}%00` }],
  ['an encoded question mark', { target: `/v1/nodes/${mine.uuid}%3Ffields=uuid` }],
  ['an encoded semicolon', { target: `/v1/nodes/${mine.uuid}%3Ba=b` }],
  ['an encoded number sign', { target: `/v1/nodes/${mine.uuid}%23` }],
  ['a dot segment', { target: `/v1/nodes/./${mine.uuid}` }],
  ['a parent segment', { target: `/v1/allocations/../nodes/${mine.uuid}` }],
  ['an encoded parent segment', { target: `/v1/allocations/%2e%2e/nodes/${mine.uuid}` }],
  ['a half encoded parent segment', { target: `/v1/allocations/.%2E/nodes/${mine.uuid}` }],
  ['two slashes', { target: `/v1//nodes/${mine.uuid}` }],
  ['two slashes at the start', { target: `//v1/nodes/${mine.uuid}` }],
  ['a broken escape', { target: '/v1/nodes/%zz' }],
  ['an overlong escape of a slash', { target: '/v1/nodes/%c0%af' }],
  [
    'a header that aliases the signed context with underscores',
    { headers: ['X_Tenure_Context: x'] },
  ],
  ['a header that aliases the signed context with dots', { headers: ['x.tenure.context: x'] }],
  ['a header that aliases the token', { headers: ['X_Auth_Token: x'] }],
  ['both token headers', { headers: ['X-Auth-Token: a', 'Authorization: Bearer a'] }],
  ['two tokens in the same header', { headers: ['X-Auth-Token: a', 'X-Auth-Token: b'] }],
  ['an unknown query key', { target: '/v1/nodes?colour=red' }],
  ['an operator-shaped query key', { target: '/v1/nodes?owner[$ne]=x' }],
  ['an operator-shaped encoded query key', { target: '/v1/nodes?owner%5B%24ne%5D=x' }],
  ['a query key of the prototype', { target: '/v1/nodes?__proto__=x' }],
  ['malformed JSON', post('{"driver')],
  ['an owner that is an object', post('{"driver":"fake-hardware","owner":{"$ne":null}}')],
  ['an empty body where one is due', post('')],
];

describe('bytes that no client of good will sends', () => {
  it.each(fatal)('answers %s once and closes the connection', async (_, draft, statuses) => {
    const result = await send(draft);
    expectRefusal(result, statuses);
    expect(result.closed).toBe(true);
  });

  it.each(hostile)('answers %s with one 400', async (_, draft) => {
    expect.hasAssertions();
    expectRefusal(
      await send({ ...draft, headers: [...(draft.headers ?? []), 'Connection: close'] }),
      [400],
    );
  });

  it('answers requests that follow one another on a connection, each with its own', async () => {
    const result = await sendRaw(
      tenure.ports.gateway,
      bytes({ target: `/v1/nodes/${mine.uuid}` }) +
        bytes({ target: `/v1/nodes/${foreign.uuid}`, headers: ['Connection: close'] }),
    );
    expect(result.answers.map(({ status }) => status)).toEqual([200, 404]);
  });
});

describe('identity that a client claims for itself', () => {
  const claims = [
    'X-Roles: admin',
    `X-Project-Id: ${otherProject}`,
    'X-User-Id: root',
    'OpenStack-System-Scope: all',
    'X-Is-Admin-Project: True',
    'X-Tenure-Context: eyJhbGciOiJub25lIn0.e30.',
    'X-Service-Token: x',
    'X-Identity-Status: Confirmed',
  ];

  it.each(claims.map((line) => [line.slice(0, line.indexOf(':')), line] as const))(
    'does not see more with %s',
    async (_, line) => {
      const { answers } = await send({
        target: `/v1/nodes/${foreign.uuid}`,
        headers: [line, 'Connection: close'],
      });
      expect(answers).toHaveLength(1);
      expect([400, 404]).toContain(answers[0]?.status);
      expect(answers[0]?.body).not.toContain(foreign.name);
    },
  );

  it.each(claims.map((line) => [line.slice(0, line.indexOf(':')), line] as const))(
    'does not do more with %s',
    async (_, line) => {
      const { answers } = await send({
        method: 'DELETE',
        target: `/v1/nodes/${mine.uuid}`,
        headers: [`X-Auth-Token: ${readerToken}`, line, 'Connection: close'],
      });
      expect(answers).toHaveLength(1);
      expect([400, 403]).toContain(answers[0]?.status);
      expect((await ask(tenure, member, `GET /v1/nodes/${mine.uuid}`)).status).toBe(200);
    },
  );

  it("answers 401 without a token, with the scheme, the request id and Ironic's body", async () => {
    const { answers } = await sendRaw(
      tenure.ports.gateway,
      'GET /v1/nodes HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n',
    );
    expect(answers.map(({ status }) => status)).toEqual([401]);
    expect(answers[0]?.head).toMatch(/^www-authenticate: /im);
    expect(answers[0]?.head).toMatch(/^x-openstack-request-id: req-/im);
    expect(faultString(answers[0]?.body ?? '')).toEqual(expect.any(String));
  });

  it.each([
    ['a token of nonsense', () => 'nonsense'],
    ['a token with its signature cut off', () => token.slice(0, token.lastIndexOf('.') + 1)],
    ['a token with its signature changed', () => `${token.slice(0, -4)}AAAA`],
    [
      'a token with another payload',
      () => [token.split('.')[0], adminToken.split('.')[1], token.split('.')[2]].join('.'),
    ],
    [
      'an unsigned token',
      () =>
        `${Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')}.${adminToken.split('.')[1] ?? ''}.`,
    ],
    ['a token with padding', () => `${token}=`],
  ])('answers %s with 401', async (_, made) => {
    const answer = await ask(tenure, null, 'GET /v1/nodes', {
      headers: { 'X-Auth-Token': made() },
    });
    expect(answer.status).toBe(401);
    expect(faultString(answer.text)).toEqual(expect.any(String));
  });

  it('serves discovery without a token', async () => {
    expect((await ask(tenure, null, 'GET /')).status).toBe(200);
    expect((await ask(tenure, null, 'GET /v1')).status).toBe(200);
  });
});

describe('bodies', () => {
  const deep = (levels: number): string =>
    `{"driver":"fake-hardware","extra":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}`;

  it.each<readonly [string, number, string, string]>([
    ['JSON deeper than 64', 400, 'application/json', deep(80)],
    ['an array where an object is due', 400, 'application/json', '[]'],
    ['a bare string', 400, 'application/json', '"node"'],
    ['a lone NaN', 400, 'application/json', '{"driver": NaN}'],
    ['text', 415, 'text/plain', '{"driver":"fake-hardware"}'],
    ['XML', 415, 'application/xml', '<node/>'],
    ['a form', 415, 'application/x-www-form-urlencoded', 'driver=fake-hardware'],
    [
      'a body over the limit',
      413,
      'application/json',
      `{"driver":"fake-hardware","description":"${'x'.repeat(9_000_000)}"}`,
    ],
  ])('answers %s with %d', async (_, status, contentType, body) => {
    const answer = await ask(tenure, systemAdmin, 'POST /v1/nodes', {
      body,
      headers: { 'Content-Type': contentType },
    });
    expect(answer.status).toBe(status);
    expect(faultString(answer.text)).toEqual(expect.any(String));
  });

  it('takes no more of a chunked body than its limit: 413, and the connection is closed', async () => {
    const size = 65_536;
    const chunk = `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`;
    const headers = ['Content-Type: application/json', 'Transfer-Encoding: chunked'];
    // Ten times the limit, and never an end. A client that is still sending may miss the answer; it is cut off then.
    const outcome = await send({ method: 'POST', headers, body: chunk.repeat(160) }).then(
      ({ answers, closed }) => ({ statuses: answers.map(({ status }) => status), closed }),
      (error: unknown) => ({ statuses: [413], closed: /EPIPE|ECONNRESET/.test(String(error)) }),
    );
    expect(outcome).toEqual({ statuses: [413], closed: true });
  });

  it('accepts JSON that is deep but allowed', async () => {
    const answer = await ask(tenure, systemAdmin, 'POST /v1/nodes', { body: deep(40) });
    expect(answer.status).toBe(201);
  });

  it('answers a slow request within its own time, and others meanwhile', async () => {
    const slow = sendRaw(tenure.ports.gateway, 'POST /v1/nodes HTTP/1.1\r\nHost: t\r\n', {
      patience: 3000,
    }).catch((error: unknown) => String(error));
    expect((await ask(tenure, member, `GET /v1/nodes/${mine.uuid}`, { within: 2000 })).status).toBe(
      200,
    );
    expect(await slow).toEqual(expect.anything());
  });
});
