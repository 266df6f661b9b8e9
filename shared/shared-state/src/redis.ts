import { type Command, Redis } from 'ioredis';

export type { Redis } from 'ioredis';

/** Milliseconds until a command without an answer has failed. */
const COMMAND_TIMEOUT_MS = 300;
const SOCKET_TIMEOUT_MS = 500;
const CONNECT_TIMEOUT_MS = 1000;
const MAX_RETRY_MS = 1000;

/** Every command goes through `sendCommand`, whichever way it was called. */
const watchCommands = (
  redis: Redis,
  onCommand: (outcome: string, seconds: number) => void,
): void => {
  const send = redis.sendCommand.bind(redis);
  redis.sendCommand = (command: Command, ...rest) => {
    const startedAt = performance.now();
    const tell = (outcome: string) => (): void => {
      onCommand(outcome, (performance.now() - startedAt) / 1000);
    };
    command.promise.then(tell('ok'), tell('failed'));
    return send(command, ...rest);
  };
};

/**
 * A connection that never waits: without a server, or with a frozen one, every command fails at once or within 300 ms, and is
 * not sent again. The connection itself comes back by itself. A command that timed out may have been carried out.
 * @param url redis:// or rediss://, with the password in it
 * @param onError told once for each time the connection is lost
 * @param onCommand told how each command went, `ok` or `failed`, and how many seconds it took
 */
export const openRedis = (
  url: string,
  onError: (error: Error) => void,
  onCommand?: (outcome: string, seconds: number) => void,
): Redis => {
  const redis = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: COMMAND_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
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
    if (!isLost) onError(error);
    isLost = true;
  });
  redis.on('close', () => {
    isLost = true;
  });
  if (onCommand !== undefined) watchCommands(redis, onCommand);
  return redis;
};
