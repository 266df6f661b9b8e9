import { afterEach, beforeEach, expect, it } from '@jest/globals';
import {
  migrateSchema,
  prepareSchema,
  type Progress,
  verdictOn,
} from '../application/migrate-schema.js';
import { SCHEMA_VERSION } from '../domain/schema.js';
import { type OpenStore } from '../ports/open-store.js';
import { type SchemaStore } from '../ports/schema-store.js';
import { migrated } from './empty-stores.js';
import { makeNode, uuidOf } from './fixtures.js';

const NOW = Date.parse('2026-11-21T08:00:00Z');

interface Progressed {
  readonly events: Progress[];
  readonly migrate: (
    schema: SchemaStore,
    holder: string,
    waitMs?: number,
  ) => Promise<readonly number[]>;
}

let store: OpenStore;
/** The same database, opened once more, as another process would. */
let other: OpenStore;

/**
 * The contract of every store of the data's version.
 * @param open opens a database that nobody has used yet
 * @param again opens the same one once more, as another process would
 */
export function schemaStoreContract(
  open: () => Promise<OpenStore>,
  again: () => Promise<OpenStore>,
): void {
  beforeEach(async () => {
    store = await open();
    other = await again();
  });
  afterEach(async () => {
    await store.stores.close();
    await other.stores.close();
  });
  remembersItsVersion();
  isMigrated();
  isPreparedAtTheStart();
}

function remembersItsVersion(): void {
  it('has no version at first, and returns the recorded one', async () => {
    expect(await store.schema.read()).toBeUndefined();
    expect(await store.schema.hasData()).toBe(false);
    await migrated(store.schema);
    expect(await store.schema.hasData()).toBe(false);
    await addNode();
    expect(await other.schema.hasData()).toBe(true);
    expect(await other.schema.read()).toEqual({ version: SCHEMA_VERSION, compatibleFrom: 3 });
  });

  it('has one holder of the right to migrate, until it is given back or its time is over', async () => {
    const lock = (schema: SchemaStore, holder: string, now: number) =>
      schema.lock({ holder, until: now + 60_000 }, now);
    expect(await lock(store.schema, 'a', NOW)).toBe(true);
    expect(await lock(other.schema, 'b', NOW + 59_999)).toBe(false);
    expect(await lock(store.schema, 'a', NOW + 30_000)).toBe(true);
    expect(await lock(other.schema, 'b', NOW + 60_000)).toBe(false);
    expect(await lock(other.schema, 'b', NOW + 90_000)).toBe(true);
    await store.schema.unlock('a');
    expect(await lock(store.schema, 'a', NOW + 90_001)).toBe(false);
    await other.schema.unlock('b');
    expect(await lock(store.schema, 'a', NOW + 90_001)).toBe(true);
  });

  it('lets one of many at once have the right', async () => {
    const all = Array.from({ length: 10 }, (_, index) =>
      (index % 2 === 0 ? store : other).schema.lock({ holder: String(index), until: NOW + 1 }, NOW),
    );
    expect((await Promise.all(all)).filter(Boolean)).toHaveLength(1);
  });

  it('takes a version of nobody but the holder', async () => {
    await store.schema.lock({ holder: 'a', until: NOW + 60_000 }, NOW);
    expect(await other.schema.record('b', { version: 7, compatibleFrom: 3 })).toBe(false);
    expect(await store.schema.read()).toBeUndefined();
    expect(await store.schema.record('a', { version: 7, compatibleFrom: 3 })).toBe(true);
    expect(await other.schema.read()).toEqual({ version: 7, compatibleFrom: 3 });
  });
}

function isMigrated(): void {
  it('is migrated once, and the second time nothing is left to do', async () => {
    await asWithoutVersion();
    const { events, migrate } = watched();
    expect(await migrate(store.schema, 'a')).toEqual([2, 3, 4]);
    const once = ['started', 'done'];
    expect(events.map(({ event }) => event)).toEqual([...once, ...once, ...once]);
    expect(await migrate(other.schema, 'b')).toEqual([]);
    expect(events).toHaveLength(6);
    expect(await other.stores.nodes.findBy('uuid', uuidOf(1))).toBeDefined();
  });

  it('is migrated by one of several processes, and the others wait for it', async () => {
    await asWithoutVersion();
    const { events, migrate } = watched();
    const done = await Promise.all([
      migrate(store.schema, 'a', 10_000),
      migrate(other.schema, 'b', 10_000),
    ]);
    expect([...done].sort((a, b) => a.length - b.length)).toEqual([[], [2, 3, 4]]);
    expect(events.filter(({ event }) => event === 'done')).toHaveLength(3);
  });

  it('is migrated after one that died once its time is over, and not before', async () => {
    await asWithoutVersion();
    const dead = { holder: 'dead', until: NOW + 1 };
    await store.schema.lock(dead, NOW);
    await store.schema.apply(2);
    const { events, migrate } = watched();
    await expect(migrate(other.schema, 'b')).rejects.toThrow('did not finish in time');
    expect(events).toEqual([{ event: 'waiting' }]);
    await store.schema.lock({ ...dead, until: NOW }, NOW);
    expect(await migrate(other.schema, 'b')).toEqual([2, 3, 4]);
  });

  it('is not said to be migrated by one that lost the right on the way', async () => {
    await asWithoutVersion();
    const slow: SchemaStore = {
      ...store.schema,
      apply: async (version) => {
        await store.schema.apply(version);
        await other.schema.lock({ holder: 'b', until: NOW + 999_999 }, NOW + 60_000);
      },
    };
    await expect(watched().migrate(slow, 'a')).rejects.toThrow('has taken over');
    expect(await verdictOn(store.schema)).toMatchObject({ kind: 'older', version: 1 });
  });
}

function isPreparedAtTheStart(): void {
  it('is made ready at the start when it is empty or embedded, and refused otherwise', async () => {
    await prepare(store.schema, false);
    expect(await verdictOn(store.schema)).toMatchObject({ kind: 'current' });
    await asWithoutVersion();
    await expect(prepare(store.schema, false)).rejects.toThrow('run `tenure migrate` first');
    await prepare(store.schema, true);
    expect(await verdictOn(store.schema)).toMatchObject({ kind: 'current' });
  });

  it('of a newer release is worked on while that says that it can be, and never migrated', async () => {
    await migrated(store.schema);
    await store.schema.lock({ holder: 'a', until: NOW }, NOW);
    await store.schema.record('a', { version: SCHEMA_VERSION + 1, compatibleFrom: SCHEMA_VERSION });
    await prepare(store.schema, true);
    await store.schema.record('a', {
      version: SCHEMA_VERSION + 1,
      compatibleFrom: SCHEMA_VERSION + 1,
    });
    await expect(prepare(store.schema, true)).rejects.toThrow('run the newer release');
    await expect(watched().migrate(other.schema, 'b')).rejects.toThrow('run the newer release');
  });
}

const addNode = () => store.stores.nodes.insert((epoch) => makeNode({ uuid: uuidOf(1) }, epoch));
/** Removes the recorded version, but no records: as a release left the store that recorded none. */
async function asWithoutVersion(): Promise<void> {
  await migrated(store.schema);
  await addNode();
  await store.schema.lock({ holder: 't', until: NOW }, NOW);
  await store.schema.record('t', { version: 1, compatibleFrom: 2 });
  await store.schema.unlock('t');
}

function watched(): Progressed {
  const events: Progress[] = [];
  return {
    events,
    migrate: (schema, holder, waitMs = 0) =>
      migrateSchema({
        schema,
        holder,
        now: () => new Date(NOW),
        onProgress: (event) => events.push(event),
        waitMs,
      }),
  };
}

const prepare = (schema: SchemaStore, isEmbedded: boolean): Promise<void> =>
  prepareSchema(
    { schema, holder: 'p', now: () => new Date(NOW), onProgress: () => undefined, waitMs: 0 },
    { isEmbedded },
  );
