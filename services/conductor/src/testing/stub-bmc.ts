import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type TestCertificate } from './certificates.js';
import { loginRefusal, noFaults, send, answeredBadly, trickle } from './stub-faults.js';
import { StubMachine } from './stub-machine.js';
import { ReportedPower } from './stub-power.js';

export const STUB_SYSTEM = '/redfish/v1/Systems/1';
const SYSTEMS = '/redfish/v1/Systems';
const SESSIONS = '/redfish/v1/SessionService/Sessions';
const RESET = `${STUB_SYSTEM}/Actions/ComputerSystem.Reset`;

export interface StubRequest {
  readonly method: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

interface Exchange extends StubRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** A BMC of our own: sessions, Basic, ETags, slow power, and every fault that the driver must live with. */
export class StubBmc {
  readonly faults = noFaults();
  readonly requests: StubRequest[] = [];
  readonly username = 'stub-user';
  readonly password = `pw-${randomUUID()}`;
  power: 'On' | 'Off' | 'PoweringOff' = 'Off';
  resetTypes: readonly string[] = ['On', 'ForceOff', 'GracefulShutdown', 'ForceRestart', 'Nmi'];
  boot = { target: 'None', enabled: 'Disabled' };
  readonly machine = new StubMachine();
  /** Forgets all sessions when such a request arrives, once. */
  sessionsEndAt: string | undefined;
  /** Reset types that were carried out, in order. */
  readonly carriedOut: string[] = [];
  logins = 0;
  connections = 0;
  readonly #reported = new ReportedPower();
  readonly #sessions = new Set<string>();
  readonly #server: Server;
  readonly #scheme: 'http' | 'https';
  readonly #arrivals = new EventEmitter();
  #etag = 1;

  constructor(tls?: TestCertificate) {
    const handler = (request: IncomingMessage, response: ServerResponse): void => {
      void this.#answer(request, response);
    };
    this.#scheme = tls === undefined ? 'http' : 'https';
    this.#server =
      tls === undefined
        ? createHttpServer(handler)
        : createHttpsServer({ cert: tls.cert, key: tls.key }, handler);
    this.#server.on('connection', () => {
      this.connections += 1;
    });
  }

  get origin(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `${this.#scheme}://127.0.0.1:${String(port)}`;
  }

  /** `driver_info` of a node whose BMC this is. */
  get driverInfo(): Readonly<Record<string, unknown>> {
    return {
      redfish_address: this.origin,
      redfish_system_id: STUB_SYSTEM,
      redfish_username: this.username,
      redfish_password: this.password,
      redfish_verify_ca: false,
    };
  }

  get openSessions(): number {
    return this.#sessions.size;
  }

  /** Requested reset types, in order. */
  get resets(): readonly unknown[] {
    return this.requests.filter(({ path }) => path === RESET).map(({ body }) => body['ResetType']);
  }

  async listen(port = 0): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
    return this;
  }

  /** Forgets all sessions, as a BMC that restarts does. */
  expireSessions(): void {
    this.#sessions.clear();
  }

  /** Resolves when the next such request has arrived. */
  async received(method: string, path: string): Promise<void> {
    await once(this.#arrivals, `${method} ${path}`);
  }

  /** Is unreachable for a while, and has no sessions afterwards, as a BMC that loses its power. */
  async restart(ms: number): Promise<void> {
    const { port } = this.#server.address() as AddressInfo;
    await this.close();
    this.expireSessions();
    await sleep(ms);
    await this.listen(port);
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '' } = request;
    const exchange = { method, path, body: await bodyOf(request), request, response };
    this.requests.push({ method, path, body: exchange.body });
    this.#arrivals.emit(`${method} ${path}`);
    if (this.faults.hang || this.#answeredInPublic(exchange)) return;
    if (this.sessionsEndAt === method) {
      this.expireSessions();
      this.sessionsEndAt = undefined;
    }
    const fault = this.faults.failing[path] ?? this.faults.empty[method];
    if (this.faults.refusesAll || !this.#isAuthenticated(request)) send(response, 401);
    else if (fault !== undefined) send(response, fault);
    else this.#route(exchange);
  }

  #answeredInPublic({ method, path, body, response }: Exchange): boolean {
    if (path === '/redfish/v1/')
      send(response, 200, {
        ...this.machine.root,
        Links: this.faults.noSessions === 'unsaid' ? {} : { Sessions: { '@odata.id': SESSIONS } },
      });
    else if (method === 'POST' && path === SESSIONS) this.#logIn(response, body);
    else return false;
    return true;
  }

  #route(exchange: Exchange): void {
    const { method, path, body, request, response } = exchange;
    const routes: Readonly<Record<string, () => void>> = {
      [`GET ${SYSTEMS}`]: () => {
        send(response, 200, { Members: [{ '@odata.id': STUB_SYSTEM }], 'Members@odata.count': 1 });
      },
      [`GET ${STUB_SYSTEM}`]: () => {
        if (!answeredBadly(this.faults, response)) this.#show(response);
      },
      [`GET ${String(this.faults.movedTo)}`]: () => {
        this.#show(response);
      },
      [`PATCH ${STUB_SYSTEM}`]: () => {
        this.#patch(exchange);
      },
      [`POST ${RESET}`]: () => {
        this.#reset(exchange);
      },
    };
    const route = routes[`${method} ${path}`];
    const ifMatch = request.headers['if-match'];
    const other = route === undefined && this.machine.answer(method, path, body, ifMatch);
    if (route !== undefined) route();
    else if (typeof other === 'object') send(response, other.status, other.body, other.headers);
    else if (method === 'DELETE')
      send(response, this.#sessions.delete(path.slice(SESSIONS.length + 1)) ? 204 : 404);
    else send(response, 404);
  }

  #isAuthenticated(request: IncomingMessage): boolean {
    const basic = `Basic ${Buffer.from(`${this.username}:${this.password}`).toString('base64')}`;
    const token = request.headers['x-auth-token'];
    return (
      request.headers.authorization === basic ||
      (typeof token === 'string' && this.#sessions.has(token))
    );
  }

  #logIn(response: ServerResponse, body: StubRequest['body']): void {
    this.logins += 1;
    const refusal = loginRefusal(this.faults);
    if (refusal !== undefined) send(response, ...refusal);
    else if (body['UserName'] !== this.username || body['Password'] !== this.password)
      send(response, 401);
    else {
      const token = randomUUID();
      const location = `${SESSIONS}/${token}`;
      this.#sessions.add(token);
      send(
        response,
        201,
        { Id: token, '@odata.id': location },
        { 'x-auth-token': token, location },
      );
    }
  }

  #show(response: ServerResponse): void {
    const { faults } = this;
    const body = {
      ...this.machine.system(),
      '@odata.id': STUB_SYSTEM,
      ...(!faults.powerless && { PowerState: this.#reported.of(this.power, faults) }),
      Actions: {
        '#ComputerSystem.Reset': {
          target: RESET,
          'ResetType@Redfish.AllowableValues': this.resetTypes,
        },
      },
      Boot: {
        BootSourceOverrideTarget: this.boot.target,
        BootSourceOverrideEnabled: this.boot.enabled,
        BootSourceOverrideMode: this.machine.bootMode,
        'BootSourceOverrideTarget@Redfish.AllowableValues': ['Pxe', 'Hdd', 'Cd'],
      },
      ...(faults.padding > 0 && { Padding: 'x'.repeat(faults.padding) }),
    };
    if (faults.trickleMs > 0) trickle(response, body, faults.trickleMs);
    else send(response, 200, body, faults.etag ? { etag: `"${String(this.#etag)}"` } : {});
    if (faults.etagMoves > 0) {
      faults.etagMoves -= 1;
      this.#etag += 1;
    }
  }

  #patch({ request, response, body }: Exchange): void {
    if (this.faults.etag && request.headers['if-match'] !== `"${String(this.#etag)}"`) {
      send(response, 412);
      return;
    }
    const boot = (body['Boot'] ?? {}) as Record<string, string>;
    this.boot = {
      target: boot['BootSourceOverrideTarget'] ?? this.boot.target,
      enabled: boot['BootSourceOverrideEnabled'] ?? this.boot.enabled,
    };
    this.machine.patchSystem(body);
    this.#etag += 1;
    send(response, 204);
  }

  #reset({ request, response, body }: Exchange): void {
    const { faults } = this;
    if (faults.busy > 0) {
      faults.busy -= 1;
      send(response, 409);
      return;
    }
    const power = ['On', 'ForceOn'].includes(String(body['ResetType'])) ? 'On' : 'Off';
    const isDone = !faults.resetIgnored && !faults.resetPretended;
    if (faults.resetPretended) this.#reported.pretend(power);
    if (isDone) this.carriedOut.push(String(body['ResetType']));
    if (isDone && body['ResetType'] !== 'Nmi')
      setTimeout(() => {
        this.#reported.changed(this.power);
        this.power = power;
        if (power === 'On') this.machine.started();
      }, faults.transitionMs);
    if (faults.resetBreaks) request.socket.destroy();
    else send(response, faults.resetAnswer ?? 204);
  }
}

/** A stub that listens on a port of its own. */
export const startStubBmc = (tls?: TestCertificate): Promise<StubBmc> => new StubBmc(tls).listen();

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = '';
  for await (const chunk of request as AsyncIterable<Buffer>) text += chunk.toString();
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}
