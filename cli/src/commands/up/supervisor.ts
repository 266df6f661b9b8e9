import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { sleep } from '@tenure/process';
import { LinesError } from '../../terminal/lines-error.js';
import { type PartPlan } from './layout.js';

export interface SupervisorOptions {
  readonly logDir: string;
  readonly say: (line: string) => void;
}

const READY_POLL_MS = 100;
const READY_DEADLINE_MS = 60_000;
const SLOW_MS = 10_000;
const FIRST_BACKOFF_MS = 200;
const MAX_BACKOFF_MS = 5000;
const STEADY_MS = 10_000;
const TERM_MS = 15_500;
const TAIL_LINES = 8;

/** Keeps one part running: restarts it when it dies, as Kubernetes would, until `stop`. */
export class SupervisedPart {
  readonly #plan: PartPlan;
  readonly #options: SupervisorOptions;
  readonly #logFile: string;
  #child: ChildProcess | undefined;
  #stopping = false;
  #everReady = false;
  #backoffMs = FIRST_BACKOFF_MS;

  constructor(plan: PartPlan, options: SupervisorOptions) {
    this.#plan = plan;
    this.#options = options;
    mkdirSync(options.logDir, { recursive: true, mode: 0o700 });
    this.#logFile = path.join(options.logDir, `${plan.name}.log`);
  }

  /**
   * Starts the part and waits until its `/readyz` says so.
   * @throws Error with the part's last log lines when it dies first, or is not ready in time
   */
  async start(): Promise<void> {
    this.#spawn();
    const deadline = Date.now() + READY_DEADLINE_MS;
    const slow = setTimeout(() => {
      this.#options.say(`${this.#plan.name} is not ready yet; its log: ${this.#logFile}`);
    }, SLOW_MS);
    try {
      while (!(await isReady(this.#plan.adminPort))) {
        if (this.#child === undefined || Date.now() > deadline)
          throw new LinesError([
            `${this.#plan.name} did not start; its last lines:`,
            ...this.#lastLines(),
          ]);
        await sleep(READY_POLL_MS);
      }
    } finally {
      clearTimeout(slow);
    }
    this.#everReady = true;
  }

  /** From now on the part is not restarted when it ends: a Ctrl-C reaches it before `stop` does. */
  leaveEnded(): void {
    this.#stopping = true;
  }

  /** SIGTERM, and SIGKILL to what is still there after 15.5 s. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const child = this.#child;
    if (child !== undefined) {
      const exited = new Promise<void>((resolve) => {
        child.once('exit', () => {
          resolve();
        });
      });
      child.kill('SIGTERM');
      const kill = setTimeout(() => {
        child.kill('SIGKILL');
      }, TERM_MS);
      await exited;
      clearTimeout(kill);
    }
  }

  #spawn(): void {
    // The part writes its log itself: a busy part must not wait for the supervisor, nor load it.
    const log = openSync(this.#logFile, 'a', 0o600);
    const child = spawn(
      process.execPath,
      // One helper thread of V8 less than there are cores; the default is four on every machine.
      ['--disable-warning=ExperimentalWarning', '--v8-pool-size=0', this.#plan.script],
      {
        env: this.#plan.env,
        // the channel closes when the supervisor exits, so that the part never outlives it
        stdio: ['ignore', log, log, 'ipc'],
      },
    );
    closeSync(log);
    const startedAt = Date.now();
    this.#child = child;
    child.once('error', (error) => {
      this.#options.say(`${this.#plan.name}: ${error.message}`);
    });
    child.once('exit', (code, signal) => {
      this.#onExit(signal ?? `status ${String(code)}`, Date.now() - startedAt);
    });
  }

  #lastLines(): readonly string[] {
    const lines = readFileSync(this.#logFile, 'utf8').split('\n');
    return lines.filter((line) => line !== '').slice(-TAIL_LINES);
  }

  #onExit(how: string, livedMs: number): void {
    this.#child = undefined;
    if (this.#stopping || !this.#everReady) return;
    if (livedMs > STEADY_MS) this.#backoffMs = FIRST_BACKOFF_MS;
    this.#options.say(`${this.#plan.name} ended (${how}); starting it again`);
    this.#startLater();
  }

  #startLater(): void {
    setTimeout(() => {
      if (this.#stopping) return;
      try {
        this.#spawn();
      } catch (error) {
        // Its log cannot be opened, for example on a file system that has become read-only. The other parts go on.
        this.#options.say(`${this.#plan.name} cannot be started: ${String(error)}`);
        this.#startLater();
      }
    }, this.#backoffMs);
    this.#backoffMs = Math.min(this.#backoffMs * 2, MAX_BACKOFF_MS);
  }
}

async function isReady(adminPort: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${String(adminPort)}/readyz`, {
      signal: AbortSignal.timeout(1000),
    });
    return response.status === 200;
  } catch {
    return false; // not listening yet
  }
}
