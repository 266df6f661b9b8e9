import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { type Login, tokenLogin } from './logins.js';
import { cleanEnvironment, runDirectory, venvBin } from './paths.js';
import { type Persona } from './personas.js';
import { type Tenure } from './tenure.js';

/** The result of a command of python-openstackclient. */
export interface OscResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The outcome of a piece of openstacksdk code: a result, or the error that it raised. */
interface SdkResult {
  readonly result: unknown;
  readonly error: {
    readonly type: string;
    readonly status: number | null;
    readonly message: string;
  } | null;
}

/** The real OpenStack clients, pointed at one Tenure. */
export interface Clients {
  /** `openstack …` as a persona, with a development token, or as whoever logs in. */
  osc(who: Persona | Login, ...argv: readonly string[]): Promise<OscResult>;
  /** The same with an image and an identity service beside the compute API, which the shell asks before it. */
  oscBeside(
    neighboursUrl: string,
    persona: Persona,
    ...argv: readonly string[]
  ): Promise<OscResult>;
  /**
   * Python code in which `conn` is an openstacksdk connection and which sets `result`. The connection logs in once, and
   * keeps the token until it is refused, as the services do that use the SDK.
   */
  sdk(who: Persona | Login, code: string): Promise<SdkResult>;
  stop(): void;
}

type Message = Readonly<Record<string, unknown>>;

/** Starts the real clients against a Tenure. Stop them in `afterAll`. */
export function startClients(tenure: Tenure): Clients {
  // A home of its own: ironicclient keeps the negotiated version per host and port there.
  const home = path.join(runDirectory, 'home');
  mkdirSync(home, { recursive: true });
  const server = path.join(import.meta.dirname, 'clients', 'client_server.py');
  const env = { ...cleanEnvironment(), HOME: home, XDG_CACHE_HOME: home, PYTHONWARNINGS: 'ignore' };
  const child = spawn(path.join(venvBin, 'python'), ['-u', server], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const speak = speakWith(child);
  const loginOf = (who: Persona | Login): Login | Promise<Login> =>
    'connection' in who ? who : tokenLogin(tenure, who);
  const sessions = new WeakMap<Login, unknown>();
  const shell = async (
    who: Persona | Login,
    argv: readonly string[],
    more: Readonly<Record<string, string>> = {},
  ): Promise<OscResult> => {
    const { environment } = await loginOf(who);
    const answer = await speak({ kind: 'osc', argv, env: { ...environment, ...more } });
    return {
      code: Number(answer['code']),
      stdout: String(answer['stdout']),
      stderr: String(answer['stderr']),
    };
  };
  return {
    osc: (who, ...argv) => shell(who, argv),
    oscBeside: (neighboursUrl, persona, ...argv) =>
      shell(persona, argv, {
        OS_COMPUTE_ENDPOINT_OVERRIDE: `${tenure.url}/v2.1`,
        OS_IMAGE_ENDPOINT_OVERRIDE: neighboursUrl,
        OS_IDENTITY_ENDPOINT_OVERRIDE: `${neighboursUrl}/v3`,
      }),
    sdk: async (who, code) => {
      const login = await loginOf(who);
      const { connection } = login;
      const answer = await speak({ kind: 'sdk', connection, session: sessions.get(login), code });
      sessions.set(login, answer['session']);
      return { result: answer['result'], error: answer['error'] as SdkResult['error'] };
    },
    stop: () => {
      child.kill('SIGKILL');
    },
  };
}

function speakWith(child: ChildProcess): (message: Message) => Promise<Message> {
  const waiting = new Map<
    number,
    { resolve: (answer: Message) => void; reject: (error: Error) => void }
  >();
  let last = 0;
  if (child.stdout === null) throw new Error('the client server has no output');
  createInterface({ input: child.stdout }).on('line', (line) => {
    // The server writes one JSON object a line, and nothing else.
    const answer = JSON.parse(line) as Message;
    const waiter = waiting.get(Number(answer['id']));
    if (waiter === undefined) return;
    waiting.delete(Number(answer['id']));
    if (answer['broken'] === undefined) waiter.resolve(answer);
    else waiter.reject(new Error(JSON.stringify(answer['broken'])));
  });
  child.on('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error('the client server died'));
  });
  return (message) =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      child.stdin?.write(`${JSON.stringify({ ...message, id: last })}\n`);
    });
}
