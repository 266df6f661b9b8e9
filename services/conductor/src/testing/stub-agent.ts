import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';

type Fields = Readonly<Record<string, unknown>>;

export interface StubCommand {
  readonly id: string;
  /** With its extension, as it was given. */
  readonly name: string;
  readonly params: Fields;
  status: 'CLEAN_VERSION_MISMATCH' | 'FAILED' | 'RUNNING' | 'SUCCEEDED';
  result: unknown;
  error: unknown;
}

/** How the stub misbehaves; change members while it runs. */
export interface StubAgentFaults {
  /** Never answers. */
  hang: boolean;
  /** Takes a command of this name, and breaks the connection instead of answering. */
  breaksOn: string | undefined;
  /** Breaks the connection before a command of this name is taken. */
  losesOn: string | undefined;
  /** Error texts of failing commands, by name. */
  failing: Record<string, string>;
  /** Answers everything with a redirect there. */
  redirectTo: string | undefined;
  /** Bytes of padding in each answer. */
  padding: number;
}

/** Commands that have ended when they are answered, as the agent's own synchronous ones. */
const AT_ONCE = /(?:get_\w+_steps|get_partition_uuids|sync|finalize_rescue)$/u;

/** The command API of an ironic-python-agent: asynchronous commands run until the test ends them. */
export class StubAgent {
  readonly faults: StubAgentFaults = {
    hang: false,
    breaksOn: undefined,
    losesOn: undefined,
    failing: {},
    redirectTo: undefined,
    padding: 0,
  };
  readonly commands: StubCommand[] = [];
  /** Tokens that came with requests. */
  readonly tokens = new Set<string>();
  /** The listed `{clean, deploy, service}` steps, by hardware manager. */
  steps: Readonly<Record<string, unknown>> = {};
  /** What `get_partition_uuids` answers. */
  partitions: Fields = {};
  /** Results of ended commands, by name. */
  results: Readonly<Record<string, unknown>> = {};
  /** Asynchronous commands end as soon as they are taken. */
  isQuick = false;
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${String(port)}`;
  }

  /** Names of the commands given, without those that only ask. */
  get given(): readonly string[] {
    return this.commands.map(({ name }) => name).filter((name) => !name.includes('.get_'));
  }

  command(name: string): StubCommand {
    const found = this.commands.findLast((one) => one.name === name);
    if (found === undefined) throw new Error(`the agent was not given ${name}`);
    return found;
  }

  /** Ends whatever runs. */
  end(status: StubCommand['status'] = 'SUCCEEDED', error: unknown = null): void {
    for (const one of this.commands)
      if (one.status === 'RUNNING') Object.assign(one, { status, error });
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://agent');
    let text = '';
    for await (const chunk of request as AsyncIterable<Buffer>) text += chunk.toString();
    this.tokens.add(url.searchParams.get('agent_token') ?? '');
    if (this.faults.hang) return;
    if (this.faults.redirectTo !== undefined)
      response.writeHead(307, { location: this.faults.redirectTo }).end();
    else this.#route(request, response, { path: url.pathname, text });
  }

  #route(
    request: IncomingMessage,
    response: ServerResponse,
    { path, text }: { readonly path: string; readonly text: string },
  ): void {
    const id = /^\/v1\/commands\/(?<id>[\w-]*)$/u.exec(path)?.groups?.['id'];
    if (id === undefined) this.#send(response, 404, { message: 'not found' });
    else if (request.method === 'POST') this.#take(request, response, JSON.parse(text) as Fields);
    else if (id === '') this.#send(response, 200, { commands: this.commands.map(view) });
    else {
      const found = this.commands.find((one) => one.id === id);
      this.#send(response, found === undefined ? 404 : 200, found === undefined ? {} : view(found));
    }
  }

  #take(request: IncomingMessage, response: ServerResponse, body: Fields): void {
    const name = String(body['name']);
    if (this.faults.losesOn === name) {
      request.socket.destroy();
      return;
    }
    if (this.commands.some(({ status }) => status === 'RUNNING')) {
      this.#send(response, 409, { message: 'busy' });
      return;
    }
    const command = this.#made(name, body['params'] as Fields);
    this.commands.push(command);
    if (this.faults.breaksOn === name) request.socket.destroy();
    else this.#send(response, 200, view(command));
  }

  #made(name: string, params: Fields): StubCommand {
    const failure = this.faults.failing[name];
    const kind = /\.get_(?<kind>\w+)_steps$/u.exec(name)?.groups?.['kind'];
    const status = AT_ONCE.test(name) || this.isQuick ? 'SUCCEEDED' : 'RUNNING';
    const result = kind === undefined ? this.#answerTo(name) : this.#listed(kind);
    return {
      id: randomUUID(),
      name,
      params,
      status: failure === undefined ? status : 'FAILED',
      result,
      error: failure === undefined ? null : { type: 'Failure', message: failure },
    };
  }

  #listed(kind: string): Fields {
    const listed = { [`${kind}_steps`]: this.steps[kind] ?? {} };
    return { ...listed, hardware_manager_version: { stub: '1' } };
  }

  #answerTo(name: string): unknown {
    return name.endsWith('get_partition_uuids') ? this.partitions : (this.results[name] ?? null);
  }

  #send(response: ServerResponse, status: number, body: object): void {
    const padded = this.faults.padding > 0 ? { ...body, x: 'x'.repeat(this.faults.padding) } : body;
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(padded));
  }
}

const view = ({ id, name, status, result, error }: StubCommand): object => ({
  id,
  // The agent's own list has no extension in the name.
  command_name: name.slice(name.lastIndexOf('.') + 1),
  command_status: status,
  command_result: result,
  command_error: error,
});
