import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type Registry } from 'prom-client';
import { inTime } from './concurrency/in-time.js';

/** Whether the dependencies of the part are available; `/readyz` returns the reason. */
export interface Readiness {
  readonly ready: boolean;
  readonly reason: string;
  /** Whether the cause is local to this replica: then it becomes unready even after it was ready. */
  readonly isOwn?: boolean;
  /** Answered as JSON in place of the reason; for parts that report details. */
  readonly details?: object;
}

/** Pages that a part serves beside the ones of every part. */
export interface AdminPages {
  readonly path: string;
  readonly serve: RequestListener;
}

export interface AdminOptions {
  readonly host: string;
  readonly port: number;
  readonly registry: Registry;
  readonly readiness: () => Readiness | Promise<Readiness>;
  /** Whether it has stopped taking new work. */
  readonly isStopping: () => boolean;
  /** Further pages of the part, each for its path and everything below it. */
  readonly pages?: readonly AdminPages[];
}

const READINESS_DEADLINE_MS = 1000;

/** Starts the listener with `/livez`, `/readyz` and `/metrics`; resolves when it listens. */
export async function startAdminServer(options: AdminOptions): Promise<Server> {
  const { pages = [] } = options;
  const readiness = steady(options);
  const server = createServer((request, response) => {
    const answer = (status: number, type: string, body: string): void => {
      response.writeHead(status, { 'Content-Type': type }).end(body);
    };
    const path = request.url?.split('?')[0];
    if (path === '/livez') answer(200, 'text/plain', 'ok\n');
    else if (path === '/readyz')
      void readiness().then(({ ready, reason, details }) => {
        const status = ready ? 200 : 503;
        if (details === undefined) answer(status, 'text/plain', `${reason}\n`);
        else answer(status, 'application/json', `${JSON.stringify(details)}\n`);
      });
    else if (path === '/metrics')
      options.registry.metrics().then(
        (text) => {
          answer(200, options.registry.contentType, text);
        },
        () => {
          answer(500, 'text/plain', 'metrics failed\n');
        },
      );
    else {
      const own = pages.find((each) => path === each.path || path?.startsWith(`${each.path}/`));
      if (own === undefined) answer(404, 'text/plain', 'not found\n');
      else own.serve(request, response);
    }
  });
  server.requestTimeout = 5000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  return server;
}

/** The port of a server, also when port 0 was requested. */
export const portOf = (server: Server): number => (server.address() as AddressInfo).port; // a listening TCP server's address is an AddressInfo

/**
 * Ready from the moment when the dependencies were available until the stop. A dependency that is lost later is reported, but does
 * not change readiness, unless the cause is this replica's own: a shared dependency is lost to every replica, and with none of
 * them ready, callers would get no answer of ours.
 */
function steady({ readiness, isStopping }: AdminOptions): () => Promise<Readiness> {
  let wasReady = false;
  return async () => {
    if (isStopping()) return { ready: false, reason: 'stopping' };
    const now = await withinDeadline(readiness);
    wasReady ||= now.ready;
    return now.ready || !wasReady || now.isOwn === true
      ? now
      : { ...now, ready: true, reason: `degraded: ${now.reason}` };
  };
}

async function withinDeadline(readiness: AdminOptions['readiness']): Promise<Readiness> {
  try {
    return await inTime(READINESS_DEADLINE_MS, Promise.resolve(readiness()), () => ({
      ready: false,
      reason: 'readiness check timed out',
    }));
  } catch {
    return { ready: false, reason: 'readiness check failed' };
  }
}
