import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { createLogger } from '@tenure/process';
import { createApp } from '../app.js';
import { leapAfterRestore } from '../application/migrate-schema.js';
import { type OpenStore } from '../ports/open-store.js';
import { type SchemaStore } from '../ports/schema-store.js';
import { type Stores } from '../ports/stores.js';
import { makeCustodySigner } from './custody.js';
import { EVERYTHING, makeNode, uuidOf } from './fixtures.js';
import { expectedFleet, type ExpectedFleet } from './previous-release.js';
import { makeKeyring, runApp, type RunningApp } from './signed-request.js';
import { checkBmcAddressForTests, seesAll, seesOwn } from './test-app.js';

const NOW = new Date('2026-11-21T08:00:00Z');

interface NodesBody {
  readonly nodes: readonly Readonly<Record<string, unknown>>[];
}

let stores: Stores;
let schema: SchemaStore;
let app: RunningApp;

/**
 * This release's API over what the release before has left reads all of it, and works on.
 * @param open restores it, migrates it and opens it
 */
export function readsWhatWas(kind: 'sqlite' | 'mongodb', open: () => Promise<OpenStore>): void {
  beforeEach(async () => {
    ({ stores, schema } = await open());
    const keyring = makeKeyring();
    const logger = createLogger('inventory', 'fatal');
    const keepConductorsMs = 3_600_000;
    const made = createApp({
      stores,
      keys: keyring.inventory,
      signer: makeCustodySigner(),
      logger,
      now: () => NOW,
      keepConductorsMs,
      checkBmcAddress: checkBmcAddressForTests,
    });
    app = await runApp(made, keyring);
  });
  afterEach(async () => {
    await app.close();
    await stores.close();
  });
  hasAllRecords(expectedFleet(kind));
  worksOn();
}

function hasAllRecords({ sections, numbers }: ExpectedFleet): void {
  it.each(Object.keys(sections))('still has its %s', async (section) => {
    const target = `/internal/export?section=${section}&limit=1000`;
    const { status, body } = await app.call({ from: 'cli', target });
    expect(status).toBe(200);
    expect(body).toEqual({ rows: sections[section], next: null });
  });

  it('still has the numbers that decisions and locks are bound to, and takes none of a node that was removed', async () => {
    for (const [uuid, expected] of Object.entries(numbers)) {
      const { body } = await app.call({ from: 'conductor', target: `/internal/nodes/${uuid}` });
      expect(body).toMatchObject(expected);
    }
    const late = await stores.nodes.insert((epoch) => makeNode({ uuid: uuidOf(5) }, epoch));
    expect(late.revision).toBe(2);
  });
}

function worksOn(): void {
  it('ends what was decided and locked before, once it counts as restored', async () => {
    const [first] = await stores.nodes.list({ ...EVERYTHING, limit: 1 });
    const onFirst = (revision: unknown) =>
      app.call({
        from: 'gateway',
        method: 'PATCH',
        target: `/v1/nodes/${uuidOf(1)}`,
        body: [{ op: 'add', path: '/extra/seen', value: true }],
        context: {
          obligations: seesAll,
          api_version: '1.91',
          resources: [{ type: 'node', uuid: uuidOf(1), tenancy_revision: Number(revision) }],
        },
      });
    await leapAfterRestore(schema);
    expect((await onFirst(first?.tenancy_revision)).status).toBe(412);
    const { body } = await app.call({ from: 'conductor', target: `/internal/nodes/${uuidOf(1)}` });
    const { revision, tenancy_revision, fence } = body as Readonly<Record<string, number>>;
    expect([revision, tenancy_revision, fence]).toEqual(
      [first?.revision, first?.tenancy_revision, first?.fence].map((one) => Number(one) + 2 ** 32),
    );
    expect((await onFirst(tenancy_revision)).status).toBe(200);
    const late = await stores.nodes.insert((epoch) => makeNode({ uuid: uuidOf(5) }, epoch));
    expect(late.revision).toBe(2 + 2 ** 32);
  });

  it('still has the owner of each node, in the order in which they were made', async () => {
    const list = async (project: string) => {
      const context = { obligations: seesOwn(project), api_version: '1.91' };
      const { body } = await app.call({ from: 'gateway', target: '/v1/nodes', context });
      return (body as NodesBody).nodes.map(({ uuid }) => uuid);
    };
    expect(await list('p-a')).toEqual([uuidOf(1), uuidOf(2)]);
    // The fourth is a child, which no list has unless requested.
    expect(await list('p-b')).toEqual([uuidOf(2)]);
    expect(await list('p-c')).toEqual([]);
  });

  it('still refuses a name that is taken, and knows its conductors', async () => {
    const { status } = await app.call({
      from: 'gateway',
      method: 'POST',
      target: '/v1/nodes',
      body: { driver: 'fake-hardware', name: 'n1' },
      context: { obligations: seesAll, api_version: '1.91' },
    });
    expect(status).toBe(409);
    const { conductors } = stores;
    expect(await conductors.findBy('hostname', 'c1.example')).toMatchObject({
      timeout_seconds: 60,
    });
    expect(await conductors.findBy('hostname', 'c2.example')).toMatchObject({
      is_deregistered: true,
    });
  });
}
