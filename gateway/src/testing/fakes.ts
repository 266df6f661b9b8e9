import { generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { type Decision, type Question } from '@tenure/contracts';
import { portOf } from '@tenure/process';
import jwt from 'jsonwebtoken';

/** A request as a fake service received it. */
export interface Received {
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Answer = (request: Received, response: ServerResponse) => void | Promise<void>;

export interface FakeServer {
  readonly url: string;
  readonly received: Received[];
  answer: Answer;
  readonly close: () => Promise<void>;
}

export const ALLOW: Decision = {
  allow: true,
  visible: true,
  reason: 'granted',
  grants: ['owner_reader'],
  denied: [],
  filter: { mode: 'none', predicates: [] },
  fields: { masked: [], read_only: [] },
  set: {},
  revision: 'r1',
};

export interface Signer {
  readonly privateKey: KeyObject;
  readonly jwk: JsonWebKey;
}

export const CLAIMS = {
  iss: 'test-issuer',
  aud: 'tenure',
  sub: 'alice',
  jti: 'j1',
  roles: ['member'],
  project_id: 'p1',
} as const;

interface FakeTenancy {
  readonly uuid: string;
  readonly owner: string | null;
  readonly lessee?: string | null;
  readonly tenancy_revision: number;
  readonly node_uuid?: string;
}

const TENANCY = /^\/internal\/tenancy\/[a-z_]+\/([^/?]+(?:\/allocation)?)$/u;

/** A small HTTP server on loopback that records the requests it received. */
export async function startFake(answer: Answer): Promise<FakeServer> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const one = {
        method: request.method ?? '',
        target: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      };
      received.push(one);
      void fake.answer(one, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const fake: FakeServer = {
    url: `http://127.0.0.1:${portOf(server)}`,
    received,
    answer,
    close: () => closeServer(server),
  };
  return fake;
}

export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response
    .writeHead(status, { 'Content-Type': 'application/json', ...headers })
    .end(JSON.stringify(body));
}

/** The questions inside a request to the fake PDP, by name. */
export const questionsIn = (
  request: Received,
): readonly (readonly [name: string, question: Question])[] =>
  Object.entries((JSON.parse(request.body) as { inputs: Record<string, Question> }).inputs); // the gateway's own questions

/** The one question inside a request to the fake PDP. */
export function questionIn(request: Received): Question {
  const [first, ...others] = questionsIn(request);
  if (first === undefined || others.length > 0) throw new Error('expected one question');
  return first[1];
}

export const decideWith =
  (decide: (question: Question) => Decision): Answer =>
  (request, response) => {
    const responses = questionsIn(request).map(([name, question]) => [
      name,
      { decision_id: 'd-1', result: decide(question) },
    ]);
    json(response, 200, { responses: Object.fromEntries(responses) as unknown });
  };

export function newSigner(kid: string): Signer {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    privateKey,
    jwk: { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'ES256' },
  };
}

export const signToken = (
  signer: Signer,
  claims: Readonly<Record<string, unknown>> = CLAIMS,
): string =>
  jwt.sign({ exp: Math.floor(Date.now() / 1000) + 600, ...claims }, signer.privateKey, {
    algorithm: 'ES256',
    keyid: String(signer.jwk['kid']),
  });

/**
 * Tenancy answers of the fake inventory by ident, or by `<ident of a node>/allocation` for the allocation of the node;
 * every other request goes to `rest`.
 */
export const tenancyOf =
  (tenancies: Readonly<Record<string, FakeTenancy>>, rest: Answer): Answer =>
  (request, response) => {
    const match = TENANCY.exec(request.target);
    if (match === null) return rest(request, response);
    const found = tenancies[decodeURIComponent(match[1] ?? '')];
    if (found === undefined)
      json(response, 404, {
        type: 'about:blank',
        title: 'Not Found',
        status: 404,
        detail: 'no',
        code: 'not_found',
      });
    else json(response, 200, { name: null, lessee: null, ...found });
    return undefined;
  };

/** Sends raw bytes, and collects all response bytes until the connection closes. */
export const sendRaw = (port: number, bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.from(bytes, 'latin1')));
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('close', () => {
      resolve(Buffer.concat(chunks).toString('latin1'));
    });
    socket.on('error', (error) => {
      if (chunks.length === 0) reject(error);
    });
  });

const closeServer = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
