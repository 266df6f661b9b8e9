import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import path from 'node:path';
import { certificates, cleanEnvironment, runDirectory, venvBin } from './paths.js';
import { freePort, isRunning, start, stopGroup } from './processes.js';
import { eventually } from './wait.js';

interface Settings {
  /** One fake machine each; all start switched off. */
  readonly systems: readonly { readonly uuid: string; readonly name: string }[];
  readonly username: string;
  readonly password: string;
}

/** A running sushy-emulator with fake machines, over TLS and behind Basic authentication. */
export interface SushyEmulator {
  readonly port: number;
  readonly url: string;
  /** What the machine itself says: `On` or `Off`. Asked directly, not through Tenure. */
  powerState(uuid: string): Promise<string>;
  stop(): Promise<void>;
}

const systemPath = (uuid: string): string => `/redfish/v1/Systems/${uuid}`;

/** The Redfish path of an emulated machine, as `driver_info.redfish_system_id` wants it. */
export { systemPath as redfishSystemId };

function get(url: string, authorization: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const options = {
      ca: readFileSync(certificates.ca),
      headers: { authorization },
      timeout: 5000,
      agent: false,
    } as const;
    const asked = request(url, options, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => {
        body += chunk.toString('utf8');
      });
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, body });
      });
    });
    asked.on('timeout', () => asked.destroy(new Error('the emulator did not answer')));
    asked.on('error', reject);
    asked.end();
  });
}

function writeConfiguration(directory: string, settings: Settings): string {
  const hash = execFileSync(
    path.join(venvBin, 'python'),
    [
      '-c',
      'import bcrypt,sys; print(bcrypt.hashpw(sys.stdin.buffer.read(), bcrypt.gensalt(4)).decode())',
    ],
    { input: settings.password },
  )
    .toString()
    .trim();
  const passwordFile = path.join(directory, 'htpasswd');
  writeFileSync(passwordFile, `${settings.username}:${hash}\n`);
  const systems = settings.systems.map((system, index) => ({
    ...system,
    power_state: 'Off',
    nics: [{ mac: `52:54:00:00:00:${String(index + 10)}`, ip: `192.0.2.${String(index + 10)}` }],
  }));
  const file = path.join(directory, 'emulator.conf');
  // Python reads this file; JSON lists of strings and numbers are Python too.
  writeFileSync(
    file,
    [
      `SUSHY_EMULATOR_FAKE_SYSTEMS = ${JSON.stringify(systems)}`,
      `SUSHY_EMULATOR_AUTH_FILE = ${JSON.stringify(passwordFile)}`,
      `SUSHY_EMULATOR_STATE_DIR = ${JSON.stringify(directory)}`,
      '',
    ].join('\n'),
  );
  return file;
}

/** Starts the emulator. Its machines take 1 to 11 seconds to change power, as its authors chose. */
export async function sushyEmulator(settings: Settings): Promise<SushyEmulator> {
  mkdirSync(runDirectory, { recursive: true });
  const directory = mkdtempSync(path.join(runDirectory, 'emulator-'));
  const config = writeConfiguration(directory, settings);
  const port = await freePort();
  const started = start({
    command: path.join(venvBin, 'sushy-emulator'),
    args: [
      '--fake',
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
    env: cleanEnvironment(),
    cwd: directory,
    logFile: path.join(directory, 'emulator.log'),
  });
  const url = `https://127.0.0.1:${port}`;
  const authorization = `Basic ${Buffer.from(`${settings.username}:${settings.password}`).toString('base64')}`;
  await eventually(
    async () => {
      if (!isRunning(started.pid))
        throw new Error(readFileSync(started.logFile, 'utf8').slice(-2000));
      return (await get(`${url}/redfish/v1/Systems`, authorization)).status;
    },
    (status) => status === 200,
    { what: 'answer of the emulator' },
  );
  return {
    port,
    url,
    powerState: async (uuid) => {
      const { status, body } = await get(url + systemPath(uuid), authorization);
      if (status !== 200) throw new Error(`the emulator answered ${status}: ${body}`);
      const system = JSON.parse(body) as { readonly PowerState: string };
      return system.PowerState;
    },
    stop: () => stopGroup(started.pid, 3000),
  };
}
