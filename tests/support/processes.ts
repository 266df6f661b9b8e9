import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { env } from 'node:process';
import { eventually } from './wait.js';

const usedPorts = new Set<number>();

const FIRST_PORT = 20_000;
/** Runs side by side and their workers have ports of their own: one that is chosen may be taken seconds later. */
const RUNS = 4;
const WORKERS = 4;
const PORTS = 12_000 / (RUNS * WORKERS);
const run = Number(env['TENURE_E2E_RUN'] ?? '0') % RUNS;
const worker = Number(env['JEST_WORKER_ID'] ?? '1') % WORKERS;
const firstOfOwn = FIRST_PORT + (run * WORKERS + worker) * PORTS;

export interface Started {
  readonly pid: number;
  readonly child: ChildProcess;
  /** Where everything it prints goes. */
  readonly logFile: string;
}

interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly logFile: string;
}

/** Three stacks that start at once on a busy machine take minutes; `tenure up` names a part that is late. */
const PATIENCE_MS = 200_000;

/**
 * A free port of the loopback, below the range from which the kernel takes ports for outgoing connections. No other
 * worker, and no run with another `TENURE_E2E_RUN` (0 to 3), chooses it.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = firstOfOwn + Math.floor(Math.random() * PORTS);
    if (usedPorts.has(port) || !(await isFree(port))) continue;
    usedPorts.add(port);
    return port;
  }
}

/** Starts a process as the leader of a group of its own, with its output in a file. */
export function start({ command, args, env, cwd, logFile }: Command): Started {
  const log = openSync(logFile, 'a');
  const child = spawn(command, args, { env, cwd, detached: true, stdio: ['ignore', log, log] });
  child.on('error', () => {
    /* the caller sees that nothing runs, and prints the log */
  });
  child.unref();
  if (child.pid === undefined) throw new Error(`could not start ${command}`);
  return { pid: child.pid, child, logFile };
}

/** Whether a process runs (one that has ended and waits to be reaped does not). */
export function isRunning(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}

/** Signals a process, or with a negative number its group; a process that has exited is no error. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // Not `instanceof Error`: jest's sandbox has an Error class of its own.
    if (!(typeof error === 'object' && error !== null && 'code' in error && error.code === 'ESRCH'))
      throw error;
  }
}

/** Ends a group started with {@link start}: politely, and after `patience` milliseconds otherwise. */
export async function stopGroup(pid: number, patience = 20_000): Promise<void> {
  // A frozen child would not hear a polite request.
  signal(-pid, 'SIGCONT');
  signal(-pid, 'SIGTERM');
  try {
    await eventually(
      () => isRunning(pid),
      (running) => !running,
      { within: patience, what: 'end' },
    );
  } finally {
    signal(-pid, 'SIGKILL');
  }
}

/** Waits until a process has printed a text; fails with its last lines when it ends first. */
export async function untilPrinted(started: Started, text: string): Promise<void> {
  const printed = (): string => readFileSync(started.logFile, 'utf8');
  const tail = (): string => printed().split('\n').slice(-40).join('\n');
  const outcome = await eventually(
    () => ({ done: printed().includes(text), running: isRunning(started.pid) }),
    ({ done, running }) => done || !running,
    { within: PATIENCE_MS, what: `"${text}" in ${started.logFile}` },
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}\n${tail()}`);
  });
  if (!outcome.done) throw new Error(`ended before it printed "${text}":\n${tail()}`);
}

/** The process that listens on a port of this machine, or undefined. */
export function listenerOf(port: number): number | undefined {
  const inode = socketOfPort(port);
  if (inode === undefined) return undefined;
  const pid = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .find((name) => holds(name, inode));
  return pid === undefined ? undefined : Number(pid);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(false);
    });
    server.listen(port, '127.0.0.1', () =>
      server.close(() => {
        resolve(true);
      }),
    );
  });
}

function socketOfPort(port: number): string | undefined {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const lines = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) =>
    existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [],
  );
  // Columns: number, local address, remote address, state (0A: listening), …, inode.
  const columns = lines
    .map((line) => line.trim().split(/\s+/))
    .find((cells) => cells[1]?.endsWith(`:${hex}`) === true && cells[3] === '0A');
  return columns?.[9];
}

function holds(pid: string, inode: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`) === `socket:[${inode}]`;
      } catch {
        return false;
      }
    });
  } catch {
    return false;
  }
}
