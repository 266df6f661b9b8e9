import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { claimedToken } from './claimed-token.js';
import { importInto } from './import-document.js';
import { certificates, cleanEnvironment, root, runDirectory } from './paths.js';
import { claimsOfToken, type Persona } from './personas.js';
import {
  freePort,
  isRunning,
  listenerOf,
  start,
  type Started,
  stopGroup,
  untilPrinted,
} from './processes.js';
import { sharedFile } from './run-dir.js';
import { eventually } from './wait.js';

const run = promisify(execFile);
const cliScript = path.join(root, 'cli', 'bin', 'tenure.js');

/** Every part that serves. */
export const parts = ['gateway', 'pdp', 'inventory', 'conductor', 'allocation', 'compute'] as const;
export type Part = (typeof parts)[number];

/** The data with which a suite in another process uses a running Tenure. */
interface Description {
  readonly pid: number;
  readonly env: Readonly<Record<string, string>>;
  readonly ports: Readonly<Record<Part, number>>;
  readonly logFile: string;
  readonly dataDir: string;
}

/** A running Tenure: every part, as `tenure up` starts them. */
export interface Tenure extends Description {
  /** The gateway's address, without a slash at the end. */
  readonly url: string;
  token(persona: Persona): Promise<string>;
  importDocument(document: object): Promise<void>;
  /** What `tenure …` prints; rejects with what it prints as an error when it fails. */
  cli(...args: readonly string[]): Promise<string>;
  /** The process of a part, as it is now. */
  pidOf(part: Part): number | undefined;
  /** Everything that every part has printed. */
  log(): string;
  stop(): Promise<void>;
}

/** A token is good for an hour, and some suites take longer. */
const TOKEN_RENEWED_MS = 20 * 60_000;

/** A Tenure that runs already. */
export function connectTo(description: Description): Tenure {
  const tokens = new Map<string, { readonly text: string; readonly renewAt: number }>();
  const cli = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await run(process.execPath, [cliScript, ...args], {
      env: description.env,
      cwd: root,
      maxBuffer: 1 << 26,
    });
    return stdout;
  };
  const token = (persona: Persona): Promise<string> => {
    const claims = claimsOfToken(persona);
    const key = JSON.stringify(claims);
    const cached = tokens.get(key);
    if (cached !== undefined && performance.now() < cached.renewAt)
      return Promise.resolve(cached.text);
    const text = claimedToken(description, claims);
    tokens.set(key, { text, renewAt: performance.now() + TOKEN_RENEWED_MS });
    return Promise.resolve(text);
  };
  return {
    ...description,
    url: `http://127.0.0.1:${description.ports.gateway}`,
    token,
    importDocument: (document) => importInto(description, document),
    cli,
    pidOf: (part) => listenerOf(description.ports[part]),
    log: () => everythingPrinted(description),
    stop: () => stopGroup(description.pid),
  };
}

/** Starts an empty Tenure of a suite's own. Stop it in `afterAll`. */
export function startTenure(
  name: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Tenure> {
  return launch(name, settings);
}

/** The Tenure that the suites of one run share; the first that asks starts it, the run's end stops it. */
export async function sharedTenure(): Promise<Tenure> {
  if (existsSync(sharedFile)) {
    const found = connectTo(JSON.parse(readFileSync(sharedFile, 'utf8')) as Description);
    if (isRunning(found.pid)) return found;
  }
  const tenure = await launch('shared', {});
  const { pid, env, ports, logFile, dataDir } = tenure;
  writeFileSync(sharedFile, JSON.stringify({ pid, env, ports, logFile, dataDir }));
  return tenure;
}

/** The process of a part, waited for. */
export function partPid(tenure: Tenure, part: Part, not?: number): Promise<number> {
  return eventually(
    () => tenure.pidOf(part) ?? 0,
    (pid) => pid !== 0 && pid !== not,
    { within: 30_000, what: `process of ${part}` },
  );
}

function everythingPrinted({ logFile, dataDir }: Description): string {
  const directory = path.join(dataDir, 'log');
  const files = existsSync(directory)
    ? readdirSync(directory).map((name) => path.join(directory, name))
    : [];
  return [logFile, ...files].map((file) => readFileSync(file, 'utf8')).join('\n');
}

async function launch(name: string, settings: Readonly<Record<string, string>>): Promise<Tenure> {
  mkdirSync(runDirectory, { recursive: true });
  const directory = mkdtempSync(path.join(runDirectory, `${name}-`));
  const { ports, env: portEnv } = await portSettings();
  const dataDir = settings['TENURE_DATA_DIR'] ?? path.join(directory, 'data');
  const env = {
    ...cleanEnvironment(),
    ...portEnv,
    TENURE_DATA_DIR: dataDir,
    TENURE_SEED: 'none',
    // For what suites start beside the parts of `tenure up`.
    TENURE_SHUTDOWN_DELAY_MS: '0',
    // Emulated BMCs run on this machine; `tenure up` sets the same for its own parts.
    CONDUCTOR_BMC_ALLOW_LOOPBACK: 'true',
    CONDUCTOR_CA_DIR: path.dirname(certificates.ca),
    // A suite or a benchmark sends more requests in minutes than a project does in a day.
    PDP_DECISION_LOG_PROJECT_BYTES_PER_DAY: '100000000000',
    ...settings,
  };
  const logFile = path.join(directory, 'tenure.log');
  const started: Started = start({
    command: process.execPath,
    args: [cliScript, 'up'],
    env,
    cwd: root,
    logFile,
  });
  try {
    await untilPrinted(started, 'Tenure is up');
  } catch (error) {
    await stopGroup(started.pid, 5000).catch(() => undefined);
    throw error;
  }
  return connectTo({ pid: started.pid, env, ports, logFile, dataDir });
}

async function portSettings(): Promise<{
  ports: Record<Part, number>;
  env: Record<string, string>;
}> {
  const env: Record<string, string> = {};
  const ports = { gateway: 0, pdp: 0, inventory: 0, conductor: 0, allocation: 0, compute: 0 };
  for (const part of parts) {
    ports[part] = await freePort();
    env[`${part.toUpperCase()}_PORT`] = String(ports[part]);
    env[`${part.toUpperCase()}_ADMIN_PORT`] = String(await freePort());
  }
  env['CONDUCTOR_MEDIA_PORT'] = String(await freePort());
  return { ports, env };
}
