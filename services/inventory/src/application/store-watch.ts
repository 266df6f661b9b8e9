import { type AppError } from '@tenure/contracts';
import { Gauge, type Logger, type Readiness, type Registry } from '@tenure/process';
import { type ConfiguredStore } from '../ports/open-store.js';
import { type SchemaStore } from '../ports/schema-store.js';
import { BrokenStoreError } from '../ports/store-trouble.js';
import { type Stores } from '../ports/stores.js';
import { markStore } from './admit-store.js';
import { verdictOn } from './migrate-schema.js';
import { createStoreHealth, type StoreHealth } from './store-health.js';
import { watchedStores } from './watched-stores.js';

/** A restored backup may miss the writes of these last seconds before a crash without notice. */
const MARK_EVERY_MS = 15_000;

/** A store whose health is followed. */
export interface StoreWatch {
  /** The stores, whose outcomes are noted. */
  readonly stores: Stores;
  readonly readiness: () => Promise<Readiness>;
  /** Marks the store a last time. */
  readonly stop: () => Promise<void>;
}

type WatchLogger = Pick<Logger, 'info' | 'warn' | 'error'>;

const BROKEN =
  'the store cannot be used: stop the inventory; put the right file back, or run `tenure restore FILE` with a backup';

const UNKNOWN_VERSION = {
  ready: false,
  reason: 'the store was migrated to a version that this release does not support',
} as const;

/** Follows the health of a store that was admitted and migrated. */
export function watchStore(
  store: ConfiguredStore,
  { registry, logger }: { readonly registry: Registry; readonly logger: WatchLogger },
): StoreWatch {
  const { schema, stores, isEmbedded } = store;
  const health = createStoreHealth({ store, onChange: logChange(logger) });
  measure(registry, health);
  const stopMarking = markOften(store, health, logger);
  return {
    stores: watchedStores(stores, health),
    readiness: async () => {
      const trouble = await health.check();
      // A MongoDB is lost to every replica; the embedded store to this one alone.
      if (trouble !== undefined)
        return { ready: false, reason: trouble.message, isOwn: isEmbedded };
      await stores.ping();
      return (await isUnderstood(schema)) ? { ready: true, reason: 'ok' } : UNKNOWN_VERSION;
    },
    stop: stopMarking,
  };
}

const logChange =
  (logger: WatchLogger) =>
  (trouble: AppError | undefined): void => {
    if (trouble === undefined) logger.info('the store can be written again');
    else {
      const line = { reason: trouble.message, err: trouble.cause };
      if (trouble instanceof BrokenStoreError) logger.error(line, BROKEN);
      else logger.error(line, 'the store cannot be written');
    }
  };

function measure(registry: Registry, health: StoreHealth): void {
  new Gauge({
    name: 'tenure_inventory_store_writable',
    help: '1 if the store accepts writes, 0 if it is full, read-only, locked, corrupt, moved or unreachable.',
    registers: [registry],
    async collect() {
      this.set((await health.check()) === undefined ? 1 : 0);
    },
  });
  new Gauge({
    name: 'tenure_inventory_store_free_bytes',
    help: 'Free bytes on the disk of the embedded store; NaN with MongoDB.',
    registers: [registry],
    async collect() {
      await health.check();
      this.set(health.freeBytes() ?? NaN);
    },
  });
}

/** Marks the store now and often, one after the other. */
function markOften(
  store: ConfiguredStore,
  health: StoreHealth,
  logger: WatchLogger,
): () => Promise<void> {
  let hasWarned = false;
  const { memory } = store;
  const remember: typeof memory.remember = async (place, mark) => {
    try {
      await memory.remember(place, mark);
      hasWarned = false;
    } catch (error) {
      if (!hasWarned) logger.warn({ err: error }, 'the mark of the store could not be remembered');
      hasWarned = true;
    }
  };
  const once = async (): Promise<void> => {
    try {
      await markStore({ ...store, memory: { ...memory, remember } });
      health.wrote();
    } catch (error) {
      health.failed(error);
    }
  };
  let running = once();
  const timer = setInterval(() => {
    running = running.then(once);
  }, MARK_EVERY_MS);
  return async () => {
    clearInterval(timer);
    await running;
    await once();
  };
}

/** A newer release may migrate the store while this one runs. */
async function isUnderstood(schema: SchemaStore): Promise<boolean> {
  const verdict = await verdictOn(schema);
  return verdict.kind !== 'newer' || verdict.isCompatible;
}
