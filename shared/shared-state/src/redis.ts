import { type Command, Redis, type RedisOptions } from 'ioredis';
import { type RedisAddress } from './redis-variables.js';

export type { Redis } from 'ioredis';

/** Milliseconds until a command without an answer has failed. */
const COMMAND_TIMEOUT_MS = 300;
/** Milliseconds that the connection may stay silent beyond that before it is closed. */
const SILENCE_MS = 200;
const CONNECT_TIMEOUT_MS = 1000;
const MAX_RETRY_MS = 1000;

/** How a connection is used. */
export interface RedisUse {
  /** Called once each time the connection is lost, with an error that contains no secrets. */
  readonly onError: (error: Error) => void;
  /** Called after each command with its outcome, `ok` or `failed`, and its duration. */
  readonly onCommand?: (outcome: string, seconds: number) => void;
  /** Milliseconds for one command; 300 when absent. */
  readonly commandMs?: number;
}

const PORT = 6379;

/**
 * A connection that never waits: without a server, or with a frozen one, every command fails at once or within its time, and is
 * not sent again. The connection is reopened automatically. A command that timed out may have been carried out.
 */
export function openRedis(
  address: RedisAddress,
  { onError, onCommand, commandMs = COMMAND_TIMEOUT_MS }: RedisUse,
): Redis {
  const redis = new Redis({
    ...placeOf(address),
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: commandMs,
    socketTimeout: commandMs + SILENCE_MS,
    connectTimeout: CONNECT_TIMEOUT_MS,
    autoResendUnfulfilledCommands: false,
    retryStrategy: (attempt) => Math.min(50 * attempt, MAX_RETRY_MS),
    keepAlive: 5000,
    enableAutoPipelining: true,
  });
  let isLost = false;
  redis.on('ready', () => {
    isLost = false;
  });
  redis.on('error', (error: Error) => {
    forgetCommand(error);
    if (!isLost) onError(error);
    isLost = true;
  });
  redis.on('close', () => {
    isLost = true;
  });
  watchCommands(redis, onCommand);
  return redis;
}

/** Parses the URL here, because ioredis would accept any of its options from it. */
function placeOf({
  url,
  ca,
}: RedisAddress): Pick<RedisOptions, 'host' | 'port' | 'username' | 'password' | 'db' | 'tls'> {
  const { protocol, hostname, port, username, password, pathname } = new URL(url);
  const db = Number(pathname.slice(1));
  return {
    host: hostname.replace(/^\[|\]$/gu, ''),
    port: port === '' ? PORT : Number(port),
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
    ...(Number.isSafeInteger(db) && { db }),
    ...(protocol === 'rediss:' && {
      tls: { rejectUnauthorized: true, ...(ca !== undefined && { ca }) },
    }),
  };
}

/** Removes the command from an error of ioredis: the first command contains the password. */
function forgetCommand(error: unknown): void {
  if (error instanceof Error) Reflect.deleteProperty(error, 'command');
}

/** Every command goes through `sendCommand`, whichever way it was called. */
function watchCommands(redis: Redis, onCommand: RedisUse['onCommand']): void {
  const send = redis.sendCommand.bind(redis);
  redis.sendCommand = (command: Command, ...rest) => {
    const startedAt = performance.now();
    const report = (outcome: string): void => {
      onCommand?.(outcome, (performance.now() - startedAt) / 1000);
    };
    command.promise.then(
      () => {
        report('ok');
      },
      (error: unknown) => {
        forgetCommand(error);
        report('failed');
      },
    );
    return send(command, ...rest);
  };
}
