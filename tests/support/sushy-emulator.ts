import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import path from 'node:path';
import { certificates, cleanEnvironment, runDirectory, venvBin } from './paths.js';
import { freePort, isRunning, start, stopGroup } from './processes.js';
import { eventually } from './wait.js';

/** The Redfish path of an emulated machine, as `driver_info.redfish_system_id` wants it. */
export { systemPath as redfishSystemId };

interface Account {
  readonly username: string;
  readonly password: string;
}

interface Settings extends Account {
  /** One fake machine each; all start switched off. */
  readonly systems: readonly { readonly uuid: string; readonly name: string }[];
}

/** How a sushy-emulator is started, whatever kind of machines it has. */
interface Launch extends Account {
  readonly command: string;
  /** Which machines: the options on its command line, and in its configuration. */
  readonly args: readonly string[];
  readonly settings: Readonly<Record<string, unknown>>;
}

/** A running sushy-emulator, over TLS and behind Basic authentication. */
export interface SushyEmulator {
  readonly port: number;
  readonly url: string;
  /** A resource as the emulator itself shows it. Queried directly, not through Tenure. */
  read(path: string): Promise<Readonly<Record<string, unknown>>>;
  /** The machine's own power state: `On` or `Off`. Queried directly, not through Tenure. */
  powerState(uuid: string): Promise<string>;
  stop(): Promise<void>;
}

/** Starts a sushy-emulator. */
export async function launchEmulator(launch: Launch): Promise<SushyEmulator> {
  mkdirSync(runDirectory, { recursive: true });
  const directory = mkdtempSync(path.join(runDirectory, 'emulator-'));
  const config = writeConfiguration(directory, launch);
  const port = await freePort();
  const started = start({
    command: launch.command,
    args: [
      ...launch.args,
      '--config',
      config,
      '--interface',
      '127.0.0.1',
      '--port',
      String(port),
      '--ssl-certificate',
      certificates.certificate,
      '--ssl-key',
      certificates.key,
    ],
    env: { ...cleanEnvironment(), TMPDIR: directory },
    cwd: directory,
    logFile: path.join(directory, 'emulator.log'),
  });
  const url = `https://127.0.0.1:${port}`;
  const authorization = `Basic ${Buffer.from(`${launch.username}:${launch.password}`).toString('base64')}`;
  await eventually(
    async () => {
      if (!isRunning(started.pid))
        throw new Error(readFileSync(started.logFile, 'utf8').slice(-2000));
      return (await get(`${url}/redfish/v1/Systems`, authorization)).status;
    },
    (status) => status === 200,
    { what: 'answer of the emulator' },
  );
  const read: SushyEmulator['read'] = async (resource) => {
    const { status, body } = await get(url + resource, authorization);
    if (status !== 200) throw new Error(`the emulator answered ${status}: ${body}`);
    return JSON.parse(body) as Readonly<Record<string, unknown>>;
  };
  return {
    port,
    url,
    read,
    powerState: async (uuid) => String((await read(systemPath(uuid)))['PowerState']),
    stop: () => stopGroup(started.pid, 3000),
  };
}

/** Starts an emulator of fake machines. They take 1 to 11 seconds to change power, as its authors chose. */
export function sushyEmulator({ systems, ...account }: Settings): Promise<SushyEmulator> {
  const fakes = systems.map((system, index) => ({
    ...system,
    power_state: 'Off',
    nics: [{ mac: `52:54:00:00:00:${String(index + 10)}`, ip: `192.0.2.${String(index + 10)}` }],
  }));
  return launchEmulator({
    ...account,
    command: path.join(venvBin, 'sushy-emulator'),
    args: ['--fake'],
    settings: { SUSHY_EMULATOR_FAKE_SYSTEMS: fakes },
  });
}

function writeConfiguration(directory: string, launch: Launch): string {
  const hash = execFileSync(
    path.join(venvBin, 'python'),
    [
      '-c',
      'import bcrypt,sys; print(bcrypt.hashpw(sys.stdin.buffer.read(), bcrypt.gensalt(4)).decode())',
    ],
    { input: launch.password },
  )
    .toString()
    .trim();
  const passwordFile = path.join(directory, 'htpasswd');
  writeFileSync(passwordFile, `${launch.username}:${hash}\n`);
  const settings = {
    ...launch.settings,
    SUSHY_EMULATOR_AUTH_FILE: passwordFile,
    SUSHY_EMULATOR_STATE_DIR: directory,
  };
  const file = path.join(directory, 'emulator.conf');
  // Python reads this file; JSON lists of strings and numbers are Python too.
  const lines = Object.entries(settings).map(
    ([name, value]) => `${name} = ${JSON.stringify(value)}\n`,
  );
  writeFileSync(file, lines.join(''));
  return file;
}

function get(url: string, authorization: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const options = {
      ca: readFileSync(certificates.ca),
      headers: { authorization },
      timeout: 5000,
      agent: false,
    } as const;
    const outgoing = request(url, options, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => {
        body += chunk.toString('utf8');
      });
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, body });
      });
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error('the emulator did not answer')));
    outgoing.on('error', reject);
    outgoing.end();
  });
}

const systemPath = (uuid: string): string => `/redfish/v1/Systems/${uuid}`;
