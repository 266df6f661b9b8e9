import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, renameSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';
import { cache, cleanEnvironment, root, runDirectory } from './paths.js';
import { freePort, start, stopGroup } from './processes.js';
import { eventually } from './wait.js';

const venv = path.join(cache, 'keystone-venv');

/** A real Keystone of its own, on loopback, with SQLite. */
export interface KeystoneProcess {
  readonly pid: number;
  /** With `/v3`. */
  readonly url: string;
  readonly jwsKeysDir: string;
  readonly adminPassword: string;
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

function serve(directory: string, port: number, adminPassword: string): Promise<KeystoneProcess> {
  const started = start({
    command: path.join(venv, 'bin', 'python'),
    args: ['-W', 'ignore', path.join(root, 'tests/support/keystone/serve.py'), String(port)],
    env: { ...cleanEnvironment(), OS_KEYSTONE_CONFIG_FILES: path.join(directory, 'keystone.conf') },
    cwd: directory,
    logFile: path.join(directory, 'serve.log'),
  });
  const url = `http://127.0.0.1:${port}/v3`;
  const process: KeystoneProcess = {
    pid: started.pid,
    url,
    jwsKeysDir: path.join(directory, 'jws-keys', 'public'),
    adminPassword,
    stop: () => stopGroup(started.pid, 5000),
    restart: () => serve(directory, port, adminPassword),
  };
  return eventually(
    async () => (await fetch(url)).status,
    (status) => status === 200,
    { within: 60_000, what: 'answer of Keystone' },
  ).then(() => process);
}

/** Makes keys, an administrator and the roles that there always are, and serves. */
export async function startKeystoneProcess(provider: 'fernet' | 'jws'): Promise<KeystoneProcess> {
  mkdirSync(runDirectory, { recursive: true });
  const directory = mkdtempSync(path.join(runDirectory, `keystone-${provider}-`));
  const port = await freePort();
  const adminPassword = 'keystone-administrator';
  for (const name of ['fernet-keys', 'credential-keys', 'jws-keys/public', 'jws-keys/private'])
    mkdirSync(path.join(directory, name), { recursive: true, mode: 0o700 });
  const file = path.join(directory, 'keystone.conf');
  writeFileSync(file, configuration(directory, provider));
  copyFileSync(path.join(venv, 'empty.db'), path.join(directory, 'keystone.db'));
  const manage = (...args: readonly string[]): void => {
    execFileSync(path.join(venv, 'bin', 'keystone-manage'), ['--config-file', file, ...args], {
      cwd: directory,
      env: cleanEnvironment(),
      stdio: 'ignore',
    });
  };
  const { username } = userInfo();
  const owner = ['--keystone-user', username, '--keystone-group', username];
  manage('fernet_setup', ...owner);
  manage('credential_setup', ...owner);
  manage('create_jws_keypair', ...owner);
  for (const kind of ['public', 'private'])
    renameSync(
      path.join(directory, `${kind}.pem`),
      path.join(directory, `jws-keys/${kind}/${kind}.pem`),
    );
  const url = `http://127.0.0.1:${port}/v3`;
  const endpoints = ['admin', 'public', 'internal'].flatMap((kind) => [
    `--bootstrap-${kind}-url`,
    url,
  ]);
  manage(
    'bootstrap',
    '--bootstrap-password',
    adminPassword,
    ...endpoints,
    '--bootstrap-region-id',
    'RegionOne',
  );
  return serve(directory, port, adminPassword);
}
