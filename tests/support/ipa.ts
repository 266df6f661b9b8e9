import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { cache, cleanEnvironment } from './paths.js';

type Fields = Readonly<Record<string, unknown>>;

/** The outcome of a step of the agent: its result, or the class and message of the error that it raised. */
interface Outcome {
  readonly ok?: unknown;
  readonly error?: string;
  readonly message?: string;
}

/** The task of the real agent, from the kernel parameters of its boot and its machine. */
export interface AgentOrder {
  readonly api_url: string;
  readonly mac: string;
  readonly node_uuid?: string;
  /** Of a boot that brings its own. */
  readonly token?: string;
  /** Where it is called back: host and port. */
  readonly callback?: readonly [string, number];
  /** PEM of the certificate that it made for itself. */
  readonly certificate?: string;
  readonly inspection_url?: string;
  readonly findings?: Fields;
  readonly steps: readonly ('heartbeat' | 'inspect' | 'lookup')[];
}

/** Runs the code of the real ironic-python-agent in a process of its own; the outcome of each step by its name. */
export async function runAgent(order: AgentOrder): Promise<Readonly<Record<string, Outcome>>> {
  const python = path.join(cache, 'ipa-venv', 'bin', 'python');
  const script = path.join(import.meta.dirname, 'ipa', 'agent.py');
  const child = spawn(python, [script], {
    env: { ...cleanEnvironment(), PYTHONWARNINGS: 'ignore' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let printed = '';
  let complaints = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
  child.stdin.end(JSON.stringify(order));
  await once(child, 'close');
  if (child.exitCode !== 0) throw new Error(`the agent ended badly: ${complaints.slice(-2000)}`);
  return JSON.parse(printed) as Record<string, Outcome>; // what the script writes
}
