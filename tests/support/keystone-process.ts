import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cache, cleanEnvironment, root, runDirectory } from './paths.js';
import { freePort, start, stopGroup } from './processes.js';
import { eventually } from './wait.js';

/** As scripts/test-env/keystone.sh made it. */
export const adminPassword = 'keystone-administrator';

const venv = path.join(cache, 'keystone-venv');

/** A real Keystone of its own, on loopback, with SQLite. */
export interface KeystoneProcess {
  readonly pid: number;
  /** With `/v3`. */
  readonly url: string;
  readonly jwsKeysDir: string;
  stop(): Promise<void>;
  /** Starts it again, on the same port and with the same data. */
  restart(): Promise<KeystoneProcess>;
}

const configuration = (directory: string, provider: 'fernet' | 'jws'): string =>
  [
    ['[DEFAULT]', `log_file = ${directory}/keystone.log`],
    ['[database]', `connection = sqlite:///${directory}/keystone.db`],
    ['[token]', `provider = ${provider}`],
    ['[fernet_tokens]', `key_repository = ${directory}/fernet-keys`],
    ['[fernet_receipts]', `key_repository = ${directory}/fernet-keys`],
    ['[credential]', `key_repository = ${directory}/credential-keys`],
    [
      '[jwt_tokens]',
      `jws_public_key_repository = ${directory}/jws-keys/public`,
      `jws_private_key_repository = ${directory}/jws-keys/private`,
    ],
    ['[cache]', 'enabled = true', 'backend = dogpile.cache.memory'],
    ['[identity]', 'password_hash_rounds = 4'],
  ]
    .map((lines) => lines.join('\n'))
    .join('\n');

function serve(directory: string, port: number): Promise<KeystoneProcess> {
  const started = start({
    command: path.join(venv, 'bin', 'python'),
    args: ['-W', 'ignore', path.join(root, 'tests/support/keystone/serve.py'), String(port)],
    env: { ...cleanEnvironment(), OS_KEYSTONE_CONFIG_FILES: path.join(directory, 'keystone.conf') },
    cwd: directory,
    logFile: path.join(directory, 'serve.log'),
  });
  const url = `http://127.0.0.1:${port}/v3`;
  const keystone: KeystoneProcess = {
    pid: started.pid,
    url,
    jwsKeysDir: path.join(directory, 'jws-keys', 'public'),
    stop: () => stopGroup(started.pid, 5000),
    restart: () => serve(directory, port),
  };
  return eventually(
    async () => (await fetch(url)).status,
    (status) => status === 200,
    { within: 120_000, what: 'answer of Keystone' },
  ).then(() => keystone);
}

/** A name Keystone gives to a key, and what is in it. */
const symmetricKey = (): string =>
  randomBytes(32).toString('base64').replaceAll('+', '-').replaceAll('/', '_');

function writeKeys(directory: string): void {
  for (const name of ['fernet-keys', 'credential-keys']) {
    mkdirSync(path.join(directory, name), { mode: 0o700 });
    for (const number of ['0', '1']) {
      const file = path.join(directory, name, number);
      writeFileSync(file, symmetricKey(), { mode: 0o600 });
    }
  }
  const { privateKey, publicKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  for (const [kind, pem] of [
    ['private', privateKey],
    ['public', publicKey],
  ] as const) {
    mkdirSync(path.join(directory, 'jws-keys', kind), { recursive: true, mode: 0o700 });
    writeFileSync(path.join(directory, 'jws-keys', kind, `${kind}.pem`), pem, { mode: 0o600 });
  }
}

/** A Keystone with an administrator and the roles that there always are. */
export async function startKeystoneProcess(provider: 'fernet' | 'jws'): Promise<KeystoneProcess> {
  mkdirSync(runDirectory, { recursive: true });
  const directory = mkdtempSync(path.join(runDirectory, `keystone-${provider}-`));
  writeKeys(directory);
  writeFileSync(path.join(directory, 'keystone.conf'), configuration(directory, provider));
  copyFileSync(path.join(venv, 'template.db'), path.join(directory, 'keystone.db'));
  return serve(directory, await freePort());
}
