import path from 'node:path';
import { root } from './paths.js';
import { freePort, start, stopGroup } from './processes.js';
import { type Tenure } from './tenure.js';
import { eventually } from './wait.js';

/** A further gateway of a running Tenure. */
export interface GatewayReplica {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a gateway beside the one of a Tenure, with the same keys, and the same settings but for those given. */
export async function startGatewayReplica(
  tenure: Tenure,
  settings: Readonly<Record<string, string>> = {},
): Promise<GatewayReplica> {
  const port = await freePort();
  const adminPort = await freePort();
  const urls = Object.entries(tenure.ports).map(([part, at]) => [
    `${part.toUpperCase()}_URL`,
    `http://127.0.0.1:${at}`,
  ]);
  const started = start({
    command: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', path.join(root, 'gateway/dist/server.js')],
    env: {
      ...tenure.env,
      ...(Object.fromEntries(urls) as Record<string, string>), // strings, as made above
      ...settings,
      GATEWAY_PORT: String(port),
      GATEWAY_ADMIN_PORT: String(adminPort),
      TENURE_CONTEXT_KEYS_DIR: path.join(tenure.dataDir, 'keys', 'gateway'),
    },
    cwd: root,
    logFile: path.join(tenure.dataDir, 'log', 'gateway-replica.log'),
  });
  await eventually(
    async () => (await fetch(`http://127.0.0.1:${adminPort}/readyz`)).status,
    (status) => status === 200,
    { within: 60_000, what: 'second gateway' },
  );
  return { url: `http://127.0.0.1:${port}`, stop: () => stopGroup(started.pid, 16_000) };
}
