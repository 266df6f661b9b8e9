import path from 'node:path';
import { root } from '../paths.js';
import { freePort, isRunning, signal, start, type Started } from '../processes.js';
import { type Part } from '../tenure.js';
import { eventually, sleep } from '../wait.js';

/** As in k8s/base. */
const PRE_STOP_MS = 3000;
const GRACE_MS = 27_000;

interface PodOptions {
  readonly part: Part;
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  readonly logDir: string;
}

const scriptOf = (part: Part): string =>
  path.join(root, part === 'gateway' ? part : path.join('services', part), 'dist/server.js');

/** One process of a part, on ports of its own. */
export class Pod {
  readonly name: string;
  readonly port: number;
  readonly #adminPort: number;
  readonly #options: PodOptions;
  #running: Started | undefined;
  isTerminating = false;

  private constructor(options: PodOptions, port: number, adminPort: number) {
    this.name = options.name;
    this.port = port;
    this.#adminPort = adminPort;
    this.#options = options;
  }

  static async start(options: PodOptions): Promise<Pod> {
    const pod = new Pod(options, await freePort(), await freePort());
    pod.restart();
    return pod;
  }

  /** Starts its process; also after it died, under the same name and on the same ports. */
  restart(): void {
    const { part, name, env, logDir } = this.#options;
    const prefix = part.toUpperCase();
    this.#running = start({
      command: process.execPath,
      args: ['--disable-warning=ExperimentalWarning', '--v8-pool-size=0', scriptOf(part)],
      env: {
        ...env,
        [`${prefix}_PORT`]: String(this.port),
        [`${prefix}_ADMIN_PORT`]: String(this.#adminPort),
        CONDUCTOR_MEDIA_PORT: '0',
      },
      cwd: root,
      logFile: path.join(logDir, `${name}.log`),
    });
  }

  get isAlive(): boolean {
    return this.#running !== undefined && isRunning(this.#running.pid);
  }

  signal(name: NodeJS.Signals): void {
    if (this.#running !== undefined) signal(this.#running.pid, name);
  }

  /** The answer of its `/readyz` within two seconds: status and text. */
  async readyz(): Promise<string> {
    try {
      const response = await fetch(`http://127.0.0.1:${String(this.#adminPort)}/readyz`, {
        signal: AbortSignal.timeout(2000),
      });
      return `${String(response.status)} ${(await response.text()).trim()}`;
    } catch {
      return 'no answer';
    }
  }

  /** As the kubelet ends a pod: the pause of `preStop`, SIGTERM, and SIGKILL once its grace is over. True when it ended by itself. */
  async terminate(): Promise<boolean> {
    await sleep(PRE_STOP_MS);
    return this.end();
  }

  async end(): Promise<boolean> {
    this.signal('SIGCONT');
    this.signal('SIGTERM');
    const ended = await eventually(
      () => this.isAlive,
      (alive) => !alive,
      { within: GRACE_MS, what: `end of ${this.name}` },
    ).then(
      () => true,
      () => false,
    );
    this.signal('SIGKILL');
    return ended;
  }
}
