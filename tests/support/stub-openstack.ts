import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** A server as Nova returns it to a caller that may see all servers. */
interface StubServer {
  readonly id: string;
  readonly tenant_id: string;
  readonly user_id: string | null;
}

/** A request that reached Nova for a caller. */
interface Reached {
  readonly method: string;
  readonly target: string;
  readonly token: string | undefined;
  readonly hasContext: boolean;
  readonly body: string;
}

/**
 * A Nova that guards nothing: it carries out and records every request of any caller. So what does not happen was stopped on
 * the way. With it comes as much of Keystone as the gateway's own user needs.
 */
export interface StubOpenStack {
  /** Variables for a gateway in front of it. */
  readonly settings: Readonly<Record<string, string>>;
  readonly reached: readonly Reached[];
  readonly add: (server: Omit<StubServer, 'id'>) => string;
  readonly stop: () => Promise<void>;
}

const OWN_TOKEN = 'token-of-the-gateways-own-user';
const HOUR_MS = 3_600_000;

/** Nova's status for each of its actions; 202 for those that are not here. */
const ACTION_STATUS: Readonly<Record<string, number>> = {
  evacuate: 200,
  rescue: 200,
  confirmResize: 204,
  'os-getConsoleOutput': 200,
};

const version = {
  'OpenStack-API-Version': 'compute 2.1',
  'X-OpenStack-Nova-API-Version': '2.1',
  Vary: 'OpenStack-API-Version',
};

/** Starts one on loopback. */
export async function startStubOpenStack(): Promise<StubOpenStack> {
  const servers = new Map<string, StubServer>();
  const reached: Reached[] = [];

  const nova = (request: IncomingMessage, body: string, response: ServerResponse): void => {
    const { method = '', url: target = '', headers } = request;
    const token = headers['x-auth-token'];
    const server = servers.get(target.split('/')[3] ?? '');
    if (token === OWN_TOKEN) {
      if (server === undefined)
        send(response, 404, { itemNotFound: { code: 404, message: 'No such server.' } });
      else send(response, 200, { server }, version);
      return;
    }
    reached.push({
      method,
      target,
      token: typeof token === 'string' ? token : undefined,
      hasContext: headers['x-tenure-context'] !== undefined,
      body,
    });
    const [action] = target.endsWith('/action') ? Object.keys(JSON.parse(body) as object) : [];
    const status = statusOf(method, action);
    send(response, status, status === 200 ? { server: server ?? {} } : undefined, version);
  };

  const http = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      if (request.url?.startsWith('/v3/') === true) keystone(request.url, response);
      else nova(request, body, response);
    });
  });
  const url = `http://127.0.0.1:${String(await listen(http))}`;
  return {
    settings: {
      NOVA_URL: `${url}/v2.1`,
      KEYSTONE_URL: `${url}/v3`,
      KEYSTONE_USERNAME: 'gateway',
      KEYSTONE_PASSWORD: 'of the gateway',
      TENURE_DEV_TOKENS: 'true',
    },
    reached,
    add: (server) => {
      const id = randomUUID();
      servers.set(id, { id, ...server });
      return id;
    },
    stop: () =>
      new Promise((resolve) => {
        http.close(() => {
          resolve();
        });
        http.closeAllConnections();
      }),
  };
}

function send(
  response: ServerResponse,
  status: number,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response
    .writeHead(status, { 'Content-Type': 'application/json', ...headers })
    .end(body === undefined ? undefined : JSON.stringify(body));
}

function statusOf(method: string, action: string | undefined): number {
  if (action !== undefined) return ACTION_STATUS[action] ?? 202;
  if (method === 'DELETE') return 204;
  return method === 'POST' ? 202 : 200;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer); // node:http yields buffers
  return Buffer.concat(chunks).toString('utf8');
}

function keystone(target: string, response: ServerResponse): void {
  if (!target.startsWith('/v3/auth/tokens')) {
    send(response, 200, { events: [] });
    return;
  }
  const now = Date.now();
  const token = {
    issued_at: new Date(now).toISOString(),
    expires_at: new Date(now + HOUR_MS).toISOString(),
  };
  send(response, 201, { token }, { 'X-Subject-Token': OWN_TOKEN });
}

const listen = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
