import { UnavailableError } from '@tenure/contracts';
import { sleep } from '@tenure/process';
import {
  judgeSchema,
  type Migration,
  SCHEMA_VERSION,
  type SchemaVerdict,
} from '../domain/schema.js';
import { type SchemaStore } from '../ports/schema-store.js';

/** A progress event of a migration. */
export type Progress =
  | { readonly event: 'waiting' }
  | { readonly event: 'started' | 'done'; readonly version: number; readonly title: string };

export interface Migrating {
  readonly schema: SchemaStore;
  /** A name that no other process has. */
  readonly holder: string;
  readonly now: () => Date;
  readonly onProgress: (progress: Progress) => void;
  /** Milliseconds to wait for another that migrates. */
  readonly waitMs: number;
  /** Changes records as a version wants them, once its indexes are there. Safe to repeat, and to be cut off anywhere. */
  readonly rewrite?: (version: number) => Promise<void>;
}

// A lock that is not renewed expires after this time; a live process renews it four times as often.
const LOCK_MS = 60_000;
const RENEW_MS = LOCK_MS / 4;
const LOOK_EVERY_MS = 500;

/** The store was left by a newer release, and this one does not understand what it holds. */
export class NewerSchemaError extends Error {
  constructor(version: number) {
    super(
      `The store holds data of version ${String(version)}, and this release knows versions up to ${String(SCHEMA_VERSION)} and may not ` +
        'work on it: run the newer release, or restore a backup that was made before it.',
    );
    this.name = 'NewerSchemaError';
  }
}

/** More than a record is ever written, and seldom enough to fit into a whole number two million times. */
export const LEAP = 2 ** 32;

/** Whether this release may use a store, must migrate it first, or must leave it alone. */
export async function verdictOn(schema: SchemaStore): Promise<SchemaVerdict> {
  const record = await schema.read();
  return judgeSchema(record, record !== undefined || (await schema.hasData()));
}

/**
 * Brings a store to the version of this release. Safe to repeat, and to run in several processes at once: one does it, the
 * others wait for it.
 * @returns the versions that were reached, in their order; none when there was nothing to do
 * @throws NewerSchemaError, or UnavailableError when another did not finish in time
 */
export async function migrateSchema(migrating: Migrating): Promise<readonly number[]> {
  if (!(await takenLock(migrating))) return [];
  const renewing = setInterval(() => {
    // One that fails is followed by another; if the right is lost, `record` finds out.
    takeLock(migrating).catch(() => undefined);
  }, RENEW_MS);
  try {
    return await runAll(migrating);
  } finally {
    clearInterval(renewing);
    await migrating.schema.unlock(migrating.holder);
  }
}

/**
 * Raises the numbers that contexts and locks are bound to. A restore takes the store back in time, and a number that
 * was issued after the backup must not be issued a second time.
 */
export const leapAfterRestore = (schema: SchemaStore): Promise<void> => schema.raiseNumbers(LEAP);

/**
 * Makes sure that this release may work on a store. An embedded or empty one is migrated here and now.
 * @throws Error saying what to do when it may not
 */
export async function prepareSchema(
  migrating: Migrating,
  { isEmbedded }: { readonly isEmbedded: boolean },
): Promise<void> {
  const verdict = await verdictOn(migrating.schema);
  if (verdict.kind === 'current') return;
  if (verdict.kind === 'newer') {
    if (!verdict.isCompatible) throw new NewerSchemaError(verdict.version);
    return;
  }
  if (!isEmbedded && !verdict.isEmpty)
    throw new Error(
      `The store holds data of version ${String(verdict.version)}, and this release needs version ${String(SCHEMA_VERSION)}: ` +
        'run `tenure migrate` first (in the image: node services/inventory/dist/migrate.js).',
    );
  await migrateSchema(migrating);
}

/**
 * Waits until there is nothing to do, or this process has the right to do it.
 * @returns whether it has
 */
async function takenLock(migrating: Migrating): Promise<boolean> {
  const { schema, onProgress, waitMs } = migrating;
  let waitedMs = 0;
  while ((await pendingIn(schema)).length > 0) {
    if (await takeLock(migrating)) return true;
    if (waitedMs === 0) onProgress({ event: 'waiting' });
    if (waitedMs >= waitMs)
      throw new UnavailableError(
        'Another process is migrating the store, and did not finish in time.',
      );
    await sleep(LOOK_EVERY_MS);
    waitedMs += LOOK_EVERY_MS;
  }
  return false;
}

async function takeLock({ schema, holder, now }: Migrating): Promise<boolean> {
  const moment = now().getTime();
  return schema.lock({ holder, until: moment + LOCK_MS }, moment);
}

async function runAll({
  schema,
  holder,
  onProgress,
  rewrite,
}: Migrating): Promise<readonly number[]> {
  const versions: number[] = [];
  for (const { version, title, compatibleFrom } of await pendingIn(schema)) {
    onProgress({ event: 'started', version, title });
    await schema.apply(version);
    await rewrite?.(version);
    if (!(await schema.record(holder, { version, compatibleFrom })))
      throw new UnavailableError('Another process has taken over the migration of the store.');
    onProgress({ event: 'done', version, title });
    versions.push(version);
  }
  return versions;
}

async function pendingIn(schema: SchemaStore): Promise<readonly Migration[]> {
  const verdict = await verdictOn(schema);
  if (verdict.kind === 'newer') throw new NewerSchemaError(verdict.version);
  return verdict.kind === 'older' ? verdict.pending : [];
}
