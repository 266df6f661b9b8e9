import { copyFileSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type KeystoneUser, type TestKeystone } from './keystone.js';
import { cache, cleanEnvironment, root, runDirectory } from './paths.js';
import { freePort, isRunning, signal, start, type Started, stopGroup } from './processes.js';
import { eventually } from './wait.js';

const venv = path.join(cache, 'neutron-venv');

interface Call {
  readonly token: string;
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
}

/** A real Neutron of its own, on loopback, with SQLite, that takes the tokens of a Keystone. */
export interface TestNeutron {
  /** Without `/v2.0`. */
  readonly url: string;
  /**
   * One call below `/v2.0` as whose the token is; the answer's body, or undefined where there is none.
   * @throws Error when it is refused
   */
  call(call: Call): Promise<unknown>;
  /** It takes connections and answers none, until it is thawed. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
  /** Starts it again, on the same port and with the same data. */
  restart(): Promise<void>;
}

/** Starts a Neutron without networks; it asks that Keystone about tokens, as a user of its own. */
export async function startNeutron(keystone: TestKeystone): Promise<TestNeutron> {
  const scope = { project: { id: keystone.serviceProject } };
  const user = await keystone.user('neutron', scope, 'service');
  mkdirSync(runDirectory, { recursive: true });
  const directory = mkdtempSync(path.join(runDirectory, 'neutron-'));
  writeFileSync(
    path.join(directory, 'neutron.conf'),
    configuration(directory, keystone.url, user),
    { mode: 0o600 },
  );
  copyFileSync(path.join(venv, 'template.db'), path.join(directory, 'neutron.db'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let running = await serve(directory, port);
  return {
    url,
    call: callTo(url),
    freeze: () => {
      signal(running.pid, 'SIGSTOP');
    },
    thaw: () => {
      signal(running.pid, 'SIGCONT');
    },
    stop: () => stopGroup(running.pid, 5000),
    restart: async () => {
      await stopGroup(running.pid, 5000);
      running = await serve(directory, port);
    },
  };
}

const configuration = (directory: string, keystoneUrl: string, user: KeystoneUser): string =>
  [
    [
      '[DEFAULT]',
      'core_plugin = ml2',
      'service_plugins =',
      'auth_strategy = keystone',
      'transport_url = fake://', // no agent to notify
      `api_paste_config = ${venv}/etc/neutron/api-paste.ini`,
      `state_path = ${directory}`,
      `log_file = ${directory}/neutron.log`,
      'notify_nova_on_port_status_changes = false',
      'notify_nova_on_port_data_changes = false',
    ],
    ['[oslo_concurrency]', `lock_path = ${directory}/locks`],
    ['[database]', `connection = sqlite:///${directory}/neutron.db`],
    // Networks that nothing carries out: only whose a port is counts here.
    [
      '[ml2]',
      'type_drivers = local',
      'project_network_types = local',
      'tenant_network_types = local',
      'mechanism_drivers =',
    ],
    // The others lock rows in a way that SQLite does not know.
    ['[quotas]', 'quota_driver = neutron.db.quota.driver_null.DbQuotaDriverNull'],
    [
      '[keystone_authtoken]',
      `www_authenticate_uri = ${keystoneUrl}`,
      `auth_url = ${keystoneUrl}`,
      'auth_type = password',
      `username = ${user.name}`,
      `password = ${user.password}`,
      'user_domain_id = default',
      'project_name = service',
      'project_domain_id = default',
      'service_token_roles_required = true',
    ],
  ]
    .map((lines) => lines.join('\n'))
    .join('\n');

async function serve(directory: string, port: number): Promise<Started> {
  const started = start({
    command: path.join(venv, 'bin', 'python'),
    args: ['-W', 'ignore', path.join(root, 'tests/support/neutron/serve.py'), String(port)],
    env: {
      ...cleanEnvironment(),
      OS_NEUTRON_CONFIG_FILES: path.join(directory, 'neutron.conf'),
    },
    cwd: directory,
    logFile: path.join(directory, 'serve.log'),
  });
  await eventually(
    async () =>
      isRunning(started.pid) ? (await fetch(`http://127.0.0.1:${port}/`)).status : 'ended',
    (status) => status === 200 || status === 'ended',
    { within: 120_000, what: 'answer of Neutron' },
  );
  if (!isRunning(started.pid)) throw new Error(`Neutron ended; see ${started.logFile}`);
  return started;
}

const callTo =
  (url: string): TestNeutron['call'] =>
  async ({ token, method = 'GET', path: target, body }) => {
    const response = await fetch(`${url}/v2.0${target}`, {
      method,
      headers: { 'X-Auth-Token': token, 'Content-Type': 'application/json' },
      signal: AbortSignal.timeout(20_000),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${target}: ${response.status} ${text}`);
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  };
