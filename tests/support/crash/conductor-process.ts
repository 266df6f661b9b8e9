import path from 'node:path';
import { root } from '../paths.js';
import { freePort, isRunning, signal, start, type Started } from '../processes.js';
import { type Tenure } from '../tenure.js';
import { eventually } from '../wait.js';

interface Settings {
  /** Name under which it takes locks. */
  readonly hostname: string;
  readonly port: number;
  readonly inventoryUrl: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A conductor process that the test kills, freezes and starts again: each time with the same name and port. */
export class ConductorProcess {
  readonly #tenure: Tenure;
  readonly #settings: Settings;
  #running: Started | undefined;

  constructor(tenure: Tenure, settings: Settings) {
    this.#tenure = tenure;
    this.#settings = settings;
  }

  /** Starts it, and waits until it says that it is ready. */
  async start(): Promise<void> {
    const { hostname, port, inventoryUrl, env } = this.#settings;
    const adminPort = await freePort();
    const started = start({
      command: process.execPath,
      args: [
        '--disable-warning=ExperimentalWarning',
        path.join(root, 'services', 'conductor', 'dist', 'server.js'),
      ],
      cwd: root,
      logFile: path.join(this.#tenure.dataDir, 'log', `${hostname}.log`),
      env: {
        ...this.#tenure.env,
        // Nothing but orders and their recovery may write.
        CONDUCTOR_POWER_SYNC_SECONDS: '0',
        CONDUCTOR_GROUP: '',
        // The BMCs of these tests carry out each command at once.
        CONDUCTOR_POWER_UNCERTAIN_SECONDS: '2',
        ...env,
        CONDUCTOR_HOST_NAME: hostname,
        CONDUCTOR_PORT: String(port),
        CONDUCTOR_ADMIN_PORT: String(adminPort),
        CONDUCTOR_MEDIA_PORT: '0',
        INVENTORY_URL: inventoryUrl,
        TENURE_CONTEXT_KEYS_DIR: path.join(this.#tenure.dataDir, 'keys', 'conductor'),
      },
    });
    this.#running = started;
    await eventually(
      async () => {
        if (!isRunning(started.pid)) throw new Error('the conductor has ended');
        return (await fetch(`http://127.0.0.1:${String(adminPort)}/readyz`)).status;
      },
      (status) => status === 200,
      { every: 30, what: `ready conductor ${hostname}` },
    );
  }

  signal(name: NodeJS.Signals): void {
    if (this.#running !== undefined) signal(this.#running.pid, name);
  }

  /** Sends SIGKILL and waits for the exit. */
  async kill(): Promise<void> {
    const { pid } = this.#running ?? {};
    if (pid === undefined) return;
    signal(pid, 'SIGKILL');
    await eventually(
      () => isRunning(pid),
      (running) => !running,
      { every: 5, what: 'end of the conductor' },
    );
  }
}
