import { type AdminOptions, startAdminServer } from './admin-server.js';
import { type Environment } from './config.js';
import { createLogger, type Logger } from './logger.js';
import { createRegistry, type Registry } from './metrics.js';
import { startTracing } from './tracing/start-tracing.js';

/** The configuration that every part has, and its logger. */
export interface Configured {
  readonly config: { readonly host: string; readonly adminPort: number };
  readonly logger: Logger;
}

/** Collaborators of a part beside its configuration. */
export interface ServiceKit {
  readonly registry: Registry;
  /** Aborted at the start of a stop: then the part is no longer ready. */
  readonly stopping: AbortSignal;
}

/** A part whose listeners listen. */
export interface RunningService extends Pick<AdminOptions, 'readiness' | 'pages'> {
  /** Members of the line `listening` of the log. */
  readonly listening: object;
  /** Takes no new work, and ends what is in flight. Called once; `/readyz` says `stopping` meanwhile. */
  readonly drain: () => Promise<void>;
  /** Releases connections, files and timers. Called once, after `drain`; the admin listener is closed by then. */
  readonly close: () => Promise<void>;
}

/** A part of the system, which is one process. */
export interface Service<C extends Configured> {
  readonly name: string;
  /** The output of `--help`. */
  readonly help: string;
  readonly env: Environment;
  /** @throws ConfigError when the environment is not usable */
  readonly configure: () => C;
  readonly start: (kit: C & ServiceKit) => Promise<RunningService>;
}

const STOP_DEADLINE_MS = 14_000;

/**
 * Runs a part until SIGTERM or SIGINT, then stops it within 15 s.
 * A start that fails, an uncaught exception or an unhandled rejection ends the process with status 1 and one log line:
 * a part in an unknown state must not go on answering.
 */
export async function runService<C extends Configured>(service: Service<C>): Promise<void> {
  if (process.argv.includes('--help')) {
    process.stdout.write(service.help);
    return;
  }
  const current: { logger?: Logger } = {};
  const die =
    (what: string) =>
    (error: unknown): void => {
      // The log level is part of the configuration: a bad one is reported at the default level.
      const logger = current.logger ?? createLogger(service.name, 'info');
      logger.fatal({ err: error }, `${what}: ${message(error)}`);
      process.exit(1);
    };
  process.on('uncaughtException', die('uncaught exception'));
  process.on('unhandledRejection', die('unhandled rejection'));
  const stopping = new AbortController();
  let logger: Logger;
  let end: () => Promise<void>;
  try {
    const configured = service.configure();
    ({ logger } = configured);
    current.logger = logger;
    end = await startService(service, configured, stopping.signal);
  } catch (error) {
    die('could not start')(error);
    return;
  }
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping.signal.aborted) return;
    stopping.abort();
    logger.info({ signal }, 'stopping');
    setTimeout(() => {
      die('stop took too long')(signal);
    }, STOP_DEADLINE_MS).unref();
    end().then(() => {
      logger.info('stopped');
      process.exit(0);
    }, die('stop failed'));
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // `tenure up`, which started this part, has exited: nothing else would stop the part.
  process.on('disconnect', () => {
    stop('SIGTERM');
  });
}

const message = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

async function startService<C extends Configured>(
  { name, env, start }: Service<C>,
  configured: C,
  stopping: AbortSignal,
): Promise<() => Promise<void>> {
  const { config, logger } = configured;
  const registry = createRegistry(name);
  const tracing = await startTracing(name, env, registry, logger);
  const running = await start({ ...configured, registry, stopping });
  // After the part's own listeners: what is ready listens.
  const admin = await startAdminServer({
    ...running,
    host: config.host,
    port: config.adminPort,
    registry,
    isStopping: () => stopping.aborted,
  });
  logger.info(running.listening, 'listening');
  return async () => {
    await running.drain();
    admin.close();
    admin.closeAllConnections();
    await running.close();
    await tracing.stop();
  };
}
