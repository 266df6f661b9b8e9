import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { cleanEnvironment, root, runDirectory } from '../../support/paths.js';
import { freePort, start, stopGroup, untilPrinted } from '../../support/processes.js';

const run = promisify(execFile);

/** The bundle of the product. */
export const productBundle = path.join(root, 'policies-rego', 'bundle.tar.gz');

interface Said {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A running decision point. */
export interface DecisionPoint {
  readonly pid: number;
  /** Its admin listener. */
  readonly adminUrl: string;
  readonly logFile: string;
  /** Asks for one decision. */
  readonly decide: (input: object) => Promise<Said>;
  /** Asks the admin listener. */
  readonly admin: (line: string, body?: object, headers?: Record<string, string>) => Promise<Said>;
  readonly revision: () => Promise<string>;
  /** `tenure policy …` of this decision point: its status and what it prints. */
  readonly cli: (...args: readonly string[]) => Promise<readonly [status: number, stdout: string]>;
  readonly stop: () => Promise<void>;
}

/** A folder of its own for a test. */
export function newFolder(): string {
  mkdirSync(runDirectory, { recursive: true });
  return mkdtempSync(path.join(runDirectory, 'bundles-'));
}

/** Makes a bundle as change-bundle.mjs says. */
export async function changeBundle(
  to: string,
  change: object,
  from = productBundle,
): Promise<void> {
  const script = path.join(import.meta.dirname, 'change-bundle.mjs');
  await run(process.execPath, [script, from, to, JSON.stringify(change)]);
}

/** Starts a decision point with these variables besides its ports, and waits until it listens. */
export async function startDecisionPoint(
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<DecisionPoint> {
  const [port, adminPort] = [await freePort(), await freePort()];
  const ports = { PDP_PORT: String(port), PDP_ADMIN_PORT: String(adminPort) };
  const logFile = path.join(folder, `pdp-${port}.log`);
  const started = start({
    command: process.execPath,
    args: [path.join(root, 'services', 'pdp', 'dist', 'server.js')],
    env: { ...cleanEnvironment(), PDP_RELOAD_POLL_MS: '50', ...ports, ...env },
    cwd: root,
    logFile,
  });
  await untilPrinted(started, '"listening"');
  const base = `http://127.0.0.1:${port}`;
  const adminBase = `http://127.0.0.1:${adminPort}`;
  const admin: DecisionPoint['admin'] = async (line, body, headers = {}) => {
    const [method = 'GET', target = ''] = line.split(' ');
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    return said(
      await fetch(`${adminBase}${target}`, {
        method,
        headers: { ...type, ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );
  };
  return {
    pid: started.pid,
    adminUrl: adminBase,
    logFile,
    decide: async (input) =>
      said(await fetch(`${base}/v1/data/tenure/authz/decision`, post({ input }))),
    admin,
    revision: async () => {
      const { body } = await said(await fetch(`${base}/v1/policy/revision`));
      return String(body['revision']);
    },
    cli: async (...args) => {
      const script = path.join(root, 'cli', 'bin', 'tenure.js');
      const all = [script, 'policy', ...args, '--url', adminBase];
      try {
        const { stdout } = await run(process.execPath, all, { env: cleanEnvironment() });
        return [0, stdout];
      } catch (error) {
        const { code, stdout } = error as { readonly code: number; readonly stdout: string }; // as execFile rejects
        return [code, stdout];
      }
    },
    stop: () => stopGroup(started.pid),
  };
}

const said = async (response: Response): Promise<Said> => ({
  status: response.status,
  body: (await response.json()) as Said['body'],
});

const post = (body: object): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
