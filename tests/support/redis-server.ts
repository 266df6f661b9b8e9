import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { certificates, cleanEnvironment, runDirectory } from './paths.js';
import { freePort, signal, start, type Started, stopGroup, untilPrinted } from './processes.js';

/** A redis-server of a suite's own, which keeps nothing on disk. */
export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** Does something as its user, with `redis-cli`, and gives what it prints. */
  cli(...command: readonly string[]): Promise<string>;
  freeze(): void;
  thaw(): void;
  /** Kills it, with everything that it has. */
  kill(): Promise<void>;
  /** Starts it again where it was, empty. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export interface RedisOptions {
  /** A user of its ACL as `NAME:PASSWORD`, and nobody else; what this user may do. */
  readonly user?: readonly [login: string, ...rights: readonly string[]];
  /** Serves TLS with the certificates of the suite, and nothing else. */
  readonly tls?: boolean;
}

const run = promisify(execFile);

export async function startRedis(options: RedisOptions = {}): Promise<RedisServer> {
  mkdirSync(runDirectory, { recursive: true });
  const directory = mkdtempSync(path.join(runDirectory, 'redis-'));
  const port = await freePort();
  let starts = 0;
  const launch = async (): Promise<Started> => {
    starts += 1;
    const started = start({
      command: 'redis-server',
      args: argumentsFor(port, options),
      env: cleanEnvironment(),
      cwd: directory,
      logFile: path.join(directory, `redis-${starts}.log`),
    });
    await untilPrinted(started, 'Ready to accept connections');
    return started;
  };
  let { pid } = await launch();
  const scheme = options.tls === true ? 'rediss' : 'redis';
  const login = options.user === undefined ? '' : `${options.user[0]}@`;
  return {
    url: `${scheme}://${login}127.0.0.1:${port}`,
    port,
    cli: async (...command) => {
      const tls = options.tls === true ? ['--tls', '--cacert', certificates.ca] : [];
      const [name, password] = options.user?.[0].split(':') ?? [];
      const user = name === undefined ? [] : ['--user', name];
      const { stdout } = await run(
        'redis-cli',
        ['-h', '127.0.0.1', '-p', String(port), ...tls, ...user, ...command],
        {
          env: {
            ...cleanEnvironment(),
            ...(password !== undefined && { REDISCLI_AUTH: password }),
          },
        },
      );
      return stdout.replace(/\n$/u, '');
    },
    freeze: () => {
      signal(pid, 'SIGSTOP');
    },
    thaw: () => {
      signal(pid, 'SIGCONT');
    },
    kill: async () => {
      signal(pid, 'SIGKILL');
      await stopGroup(pid, 5000);
    },
    restart: async () => {
      ({ pid } = await launch());
    },
    stop: () => stopGroup(pid, 5000),
  };
}

function argumentsFor(port: number, { user, tls }: RedisOptions): readonly string[] {
  const [login, ...rights] = user ?? [];
  const [name = '', password = ''] = login?.split(':') ?? [];
  return [
    ...(tls === true
      ? [
          ...['--port', '0', '--tls-port', String(port), '--tls-auth-clients', 'no'],
          ...['--tls-cert-file', certificates.certificate, '--tls-key-file', certificates.key],
          ...['--tls-ca-cert-file', certificates.ca],
        ]
      : ['--port', String(port)]),
    ...['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
    ...(login === undefined
      ? []
      : ['--user', 'default', 'off', '--user', name, 'on', `>${password}`, ...rights]),
  ];
}
