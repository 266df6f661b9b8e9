import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { env } from 'node:process';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cleanEnvironment } from '../support/paths.js';
import { freePort, isRunning, signal, start, type Started } from '../support/processes.js';
import { type RedisServer, startRedis } from '../support/redis-server.js';
import { eventually } from '../support/wait.js';
import { type Assembled, assembleAll } from './assembled.js';
import { composeFile, environmentOf, type Places } from './compose.js';

// In the order of depends_on.
const SERVED = ['pdp', 'inventory', 'conductor', 'allocation', 'compute', 'gateway'] as const;
type Served = (typeof SERVED)[number];

const PORTS: Readonly<Record<Served, number>> = {
  gateway: 6385,
  pdp: 8181,
  inventory: 8182,
  conductor: 8183,
  allocation: 8184,
  compute: 8185,
};
const ENTRIES: Readonly<Record<Served, string>> = {
  gateway: 'gateway/dist/server.js',
  pdp: 'services/pdp/dist/server.js',
  inventory: 'services/inventory/dist/server.js',
  conductor: 'services/conductor/dist/server.js',
  allocation: 'services/allocation/dist/server.js',
  compute: 'services/compute/dist/server.js',
};

const compose = composeFile();

function serviceNamed(name: string) {
  const service = compose.services[name];
  if (service === undefined) throw new Error(`no service ${name}`);
  return service;
}

function mongodbUri(): string {
  const uri = env['TENURE_TEST_MONGODB_URI'];
  if (uri === undefined) throw new Error('run this under scripts/test-env/with-mongo.sh');
  return uri;
}

interface Ports {
  readonly port: number;
  readonly adminPort: number;
}

describe('compose.yaml', () => {
  let images: Assembled;
  let redis: RedisServer;
  let places: Places;
  const ports = new Map<Served, Ports>();
  const running = new Map<Served, Started>();

  const portsOf = (part: Served): Ports => ports.get(part) ?? { port: 0, adminPort: 0 };

  /** The environment of the file; only the ports differ, for all are on one address here. */
  const environment = (name: string): Readonly<Record<string, string>> => ({
    ...cleanEnvironment(),
    NODE_ENV: 'production',
    ...environmentOf(serviceNamed(name), places),
    CONDUCTOR_MEDIA_PORT: '0',
    ...Object.fromEntries(
      [...ports].flatMap(([part, { port, adminPort }]) => [
        [`${part.toUpperCase()}_PORT`, String(port)],
        [`${part.toUpperCase()}_ADMIN_PORT`, String(adminPort)],
      ]),
    ),
    // No fixed port on the machine of the test.
    ...(name === 'gateway' && { GATEWAY_AGENT_PORT: '0' }),
  });

  const once = (name: string, part: 'cli' | 'inventory', ...args: readonly string[]): string =>
    execFileSync(process.execPath, [...args], {
      cwd: images.app(part),
      env: environment(name),
      encoding: 'utf8',
    });

  const cli = (name: string, ...args: readonly string[]): string =>
    once(name, 'cli', 'cli/bin/tenure.js', ...args);

  const startPart = async (part: Served): Promise<void> => {
    const started = start({
      command: process.execPath,
      args: ['--disable-warning=ExperimentalWarning', '--v8-pool-size=0', ENTRIES[part]],
      env: environment(part),
      cwd: images.app(part),
      logFile: path.join(images.directory, `${part}.log`),
    });
    running.set(part, started);
    await eventually(
      async () => {
        if (!isRunning(started.pid)) return readFileSync(started.logFile, 'utf8');
        const { adminPort } = portsOf(part);
        return (await fetch(`http://127.0.0.1:${String(adminPort)}/readyz`)).status;
      },
      (answer) => answer !== 503,
      { within: 30_000, what: `ready ${part}` },
    );
  };

  const ask = async (target: string, ...token: readonly string[]): Promise<Response> =>
    fetch(`http://127.0.0.1:${String(portsOf('gateway').port)}${target}`, {
      headers: {
        'X-Auth-Token': cli('cli', 'token', ...token).trim(),
        'X-OpenStack-Ironic-API-Version': 'latest',
      },
    });

  beforeAll(async () => {
    images = assembleAll();
    redis = await startRedis();
    for (const part of SERVED)
      ports.set(part, { port: await freePort(), adminPort: await freePort() });
    const volume = (name: string): string => {
      const folder = path.join(images.directory, 'volumes', name);
      mkdirSync(folder, { recursive: true });
      return folder;
    };
    places = {
      volume,
      addresses: [
        ...SERVED.map(
          (part) =>
            [
              `http://${part}:${String(PORTS[part])}`,
              `http://127.0.0.1:${String(portsOf(part).port)}`,
            ] as const,
        ),
        ['redis://redis:6379', redis.url],
        ['mongodb://mongo:27017/?replicaSet=rs0', mongodbUri()],
      ],
    };
    cli('secrets', ...(serviceNamed('secrets').command ?? []));
    once('migrate', 'inventory', ...(serviceNamed('migrate').entrypoint ?? []).slice(1));
    for (const part of SERVED) await startPart(part);
  }, 300_000);

  afterAll(async () => {
    for (const { pid } of running.values()) signal(pid, 'SIGKILL');
    await redis.stop();
    images.remove();
  });

  it('makes every part ready, from what its image holds and the environment that it is given', async () => {
    const answers = await Promise.all(
      SERVED.map(async (part) => {
        const { adminPort } = portsOf(part);
        return [part, (await fetch(`http://127.0.0.1:${String(adminPort)}/readyz`)).status];
      }),
    );
    expect(answers).toEqual(SERVED.map((part) => [part, 200]));
  });

  it('serves the demo fleet to whom the command line makes a token', async () => {
    expect(cli('seed', ...(serviceNamed('seed').command ?? []))).toBe(
      'inventory seeded with 5 demo nodes\n',
    );
    const owner = await ask(
      '/v1/nodes',
      '--user',
      'olga',
      '--project',
      'project-a',
      '--role',
      'member',
    );
    const { nodes } = (await owner.json()) as { nodes: readonly { name: string }[] };
    expect(nodes.map(({ name }) => name)).toEqual(['rack1-u01', 'rack1-u02', 'rack1-u03']);
    const stranger = await ask(
      '/v1/nodes/rack1-u01',
      '--user',
      'theo',
      '--project',
      'x',
      '--role',
      'member',
    );
    expect(stranger.status).toBe(404);
  });

  it('gives parts nothing but variables that they know', () => {
    const unknown = SERVED.flatMap((part) => {
      const help = execFileSync(process.execPath, [ENTRIES[part], '--help'], {
        cwd: images.app(part),
        encoding: 'utf8',
      });
      const supported = [...help.matchAll(/^ {2}(?<name>[A-Z][A-Z0-9_]+) /gmu)].map(
        ({ groups }) => groups?.['name'],
      );
      return Object.keys(serviceNamed(part).environment ?? {})
        .filter((name) => !supported.includes(name))
        .map((name) => `${part}: ${name}`);
    });
    expect(unknown).toEqual([]);
  });

  it('asks in its health checks what the parts answer', () => {
    const status = (part: Served): number | null => {
      const [, , ...args] = serviceNamed(part).healthcheck?.test ?? [];
      expect(args.at(-1)).toBe(String(PORTS[part] + 1000));
      try {
        const at = [...args.slice(0, -1), String(portsOf(part).adminPort)];
        execFileSync(process.execPath, at, { stdio: 'ignore' });
        return 0;
      } catch (error) {
        return (error as { status: number | null }).status; // what execFileSync throws
      }
    };
    expect(SERVED.map((part) => [part, status(part)])).toEqual(SERVED.map((part) => [part, 0]));
  });

  it('lets nothing write where it runs, be root or gain rights', () => {
    for (const [name, service] of Object.entries(compose.services)) {
      expect({ name, user: service.user }).not.toEqual({ name, user: undefined });
      expect(service.user).not.toMatch(/^(?:0|root)(?::|$)/u);
      expect({ name, ...service }).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
    }
  });

  it('opens the ports of the gateway and of boot media, on the loopback, and shows the stores to nobody who does not need them', () => {
    expect(Object.values(compose.services).flatMap(({ ports: open }) => open ?? [])).toEqual([
      '127.0.0.1:6385:6385',
      '127.0.0.1:6388:6388',
      '127.0.0.1:8193:8193',
    ]);
    const on = (network: string): readonly string[] =>
      Object.entries(compose.services)
        .filter(([, { networks }]) => networks?.includes(network))
        .map(([name]) => name);
    expect(on('store')).toEqual(['pdp', 'inventory', 'migrate', 'mongo']);
    expect(on('cache')).toEqual(['gateway', 'cli', 'redis']);
    expect(on('outside')).toEqual(['gateway', 'conductor']);
    for (const network of ['parts', 'store', 'cache'])
      expect(compose.networks[network]?.internal).toBe(true);
  });

  it('ends every part by SIGTERM, with status 0', async () => {
    const ends = await Promise.all(
      [...running].map(async ([part, { child, pid }]) => {
        const ended = new Promise<number | null>((resolve) => {
          child.once('exit', resolve);
        });
        signal(pid, 'SIGTERM');
        return [part, await ended];
      }),
    );
    expect(ends).toEqual(SERVED.map((part) => [part, 0]));
  });
});
