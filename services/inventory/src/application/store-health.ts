import { AppError } from '@tenure/contracts';
import { type OpenStore } from '../ports/open-store.js';
import { BrokenStoreError } from '../ports/store-trouble.js';

/** A store that was written this recently needs no other proof. */
const TRUST_MS = 5000;
/** Attempts to write are at least this far apart, however often the readiness is queried. */
const ATTEMPT_EVERY_MS = 1000;

/** Whether the store takes writes, by the outcome of the last one. */
export interface StoreHealth {
  /** A write succeeded. */
  readonly wrote: () => void;
  /** A read or a write failed. Errors that do not speak of the state of the store change nothing. */
  readonly failed: (error: unknown) => void;
  /**
   * Inspects the store, and writes to it after five seconds without a write or when the last write failed, at most once a second.
   * @returns why the store cannot be written; undefined when it can
   */
  readonly check: () => Promise<AppError | undefined>;
  /** The result of the last inspection. */
  readonly trouble: () => AppError | undefined;
  /** Free bytes at the last inspection; undefined when they could not be read. */
  readonly freeBytes: () => number | undefined;
}

export interface StoreHealthOptions {
  readonly store: Pick<OpenStore, 'marks' | 'inspect'>;
  /** Called when the store can no longer be written, with the reason, and when it can again. */
  readonly onChange: (trouble: AppError | undefined) => void;
  /** Monotonic, in milliseconds. */
  readonly clock?: () => number;
}

/** Follows the health of a store. */
export function createStoreHealth({
  store,
  onChange,
  clock = () => performance.now(),
}: StoreHealthOptions): StoreHealth {
  let trouble: AppError | undefined;
  let wroteAt = -Infinity;
  let attemptedAt = -Infinity;
  let freeBytes: number | undefined;
  let checking: Promise<void> | undefined;
  const change = (next: AppError | undefined): void => {
    // A broken store stays broken.
    if (trouble instanceof BrokenStoreError || trouble?.message === next?.message) return;
    trouble = next;
    onChange(next);
  };
  const wrote = (): void => {
    wroteAt = clock();
    change(undefined);
  };
  const failed = (error: unknown): void => {
    const found = troubleIn(error);
    if (found !== undefined) change(found);
  };
  const isProven = (): boolean => trouble === undefined && clock() - wroteAt < TRUST_MS;
  const look = async (): Promise<void> => {
    try {
      freeBytes = await store.inspect();
      if (isProven() || clock() - attemptedAt < ATTEMPT_EVERY_MS) return;
      attemptedAt = clock();
      await store.marks.advance(1);
      wrote();
    } catch (error) {
      failed(error);
    }
  };
  return {
    wrote,
    failed,
    check: async () => {
      checking ??= look().finally(() => {
        checking = undefined;
      });
      await checking;
      return trouble;
    },
    trouble: () => trouble,
    freeBytes: () => freeBytes,
  };
}

// 503 and 507 are the only errors of a store that report its state.
const troubleIn = (error: unknown): AppError | undefined =>
  error instanceof AppError && error.status >= 500 ? error : undefined;
