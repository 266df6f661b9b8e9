import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cache, cleanEnvironment, root, runDirectory } from './paths.js';
import { freePort, start, type Started, stopGroup } from './processes.js';
import { eventually } from './wait.js';

/** As scripts/test-env/keystone.sh made it. */
export const adminPassword = 'keystone-administrator';

const venv = path.join(cache, 'keystone-venv');

/** The kind of tokens that a Keystone issues, and the only kind that it takes. */
export type TokenProvider = 'fernet' | 'jws';

/** A real Keystone of its own, on loopback, with SQLite. */
export interface KeystoneProcess {
  /** With `/v3`. */
  readonly url: string;
  /** The public keys by which its JWS tokens verify. */
  readonly jwsKeysDir: string;
  /** The file with the key that signs them. */
  readonly jwsPrivateKey: string;
  stop(): Promise<void>;
  /** Starts it again, on the same port and with the same data; with tokens of another kind if one is named. */
  restart(provider?: TokenProvider): Promise<void>;
}

/** A Keystone with an administrator and the roles that there always are. */
export async function startKeystoneProcess(provider: TokenProvider): Promise<KeystoneProcess> {
  mkdirSync(runDirectory, { recursive: true });
  const directory = mkdtempSync(path.join(runDirectory, 'keystone-'));
  const configure = (kind: TokenProvider): void => {
    writeFileSync(path.join(directory, 'keystone.conf'), configuration(directory, kind));
  };
  writeKeys(directory);
  configure(provider);
  copyFileSync(path.join(venv, 'template.db'), path.join(directory, 'keystone.db'));
  const port = await freePort();
  let running = await serve(directory, port);
  const stop = (): Promise<void> => stopGroup(running.pid, 5000);
  return {
    url: `http://127.0.0.1:${port}/v3`,
    jwsKeysDir: path.join(directory, 'jws-keys', 'public'),
    jwsPrivateKey: path.join(directory, 'jws-keys', 'private', 'private.pem'),
    stop,
    restart: async (kind) => {
      await stop();
      if (kind !== undefined) configure(kind);
      running = await serve(directory, port);
    },
  };
}

const configuration = (directory: string, provider: TokenProvider): string =>
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

async function serve(directory: string, port: number): Promise<Started> {
  const started = start({
    command: path.join(venv, 'bin', 'python'),
    args: ['-W', 'ignore', path.join(root, 'tests/support/keystone/serve.py'), String(port)],
    env: { ...cleanEnvironment(), OS_KEYSTONE_CONFIG_FILES: path.join(directory, 'keystone.conf') },
    cwd: directory,
    logFile: path.join(directory, 'serve.log'),
  });
  await eventually(
    async () => (await fetch(`http://127.0.0.1:${port}/v3`)).status,
    (status) => status === 200,
    { within: 120_000, what: 'answer of Keystone' },
  );
  return started;
}

/** A name Keystone gives to a key, and what is in it. */
const symmetricKey = (): string =>
  randomBytes(32).toString('base64').replaceAll('+', '-').replaceAll('/', '_');
