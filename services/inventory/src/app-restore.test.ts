import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '@tenure/process';
import { createApp } from './app.js';
import { SECTIONS } from './application/import-document.js';
import { rewriteOf } from './application/rewrite-records.js';
import { SCHEMA_VERSION } from './domain/schema.js';
import { type Stores } from './ports/stores.js';
import { makeCustodySigner } from './testing/custody.js';
import { fileStores, memoryStores } from './testing/empty-stores.js';
import { uuidOf } from './testing/fixtures.js';
import { restoreSqlite } from './testing/previous-release.js';
import { makeKeyring, runApp, type RunningApp } from './testing/signed-request.js';
import { checkBmcAddressForTests, seesAll, seesOwn } from './testing/test-app.js';

const NOW = new Date('2026-11-21T08:00:00Z');

function appOver(stores: Stores): Promise<RunningApp> {
  const keyring = makeKeyring();
  const logger = createLogger('inventory', 'fatal');
  const signer = makeCustodySigner();
  const { inventory: keys } = keyring;
  const app = createApp({
    stores,
    keys,
    signer,
    logger,
    now: () => NOW,
    keepConductorsMs: 1000,
    checkBmcAddress: checkBmcAddressForTests,
  });
  return runApp(app, keyring);
}

let directory: string;
let original: RunningApp;
let restored: RunningApp;
let opened: readonly Stores[] = [];

/** The import of a lease enters it in its node anew, which is a change of the node. */
const withoutUpdates = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (name, member: unknown) => (name === 'updated_at' ? 0 : member)),
  );

async function exported(app: RunningApp): Promise<Readonly<Record<string, unknown>>> {
  const sections = SECTIONS.map(async (section) => {
    const target = `/internal/export?section=${section}&limit=1000`;
    const { body } = await app.call({ from: 'cli', target });
    const { rows } = body as { readonly rows: readonly { readonly uuid: string }[] };
    // Imported records are claimed in the order of the sections.
    const inOrder =
      section === 'claims' ? rows.toSorted((a, b) => (a.uuid < b.uuid ? -1 : 1)) : rows;
    return [section, inOrder] as const;
  });
  return Object.fromEntries(await Promise.all(sections));
}

beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'restore-'));
  const file = path.join(directory, 'inventory.sqlite');
  restoreSqlite(file);
  opened = [await fileStores(file), await memoryStores()];
  [original, restored] = (await Promise.all(opened.map(appOver))) as [RunningApp, RunningApp]; // of two
  for (const stores of opened)
    for (let version = 2; version <= SCHEMA_VERSION; version += 1) await rewriteOf(stores)(version);
  const body = await exported(original);
  await restored.call({ from: 'cli', method: 'POST', target: '/internal/import', body });
  // Conductors are in no export: they report when they start.
  await restored.call({
    from: 'conductor',
    method: 'PUT',
    target: '/internal/conductors/c1.example',
    body: { drivers: ['fake-hardware', 'redfish'] },
  });
});
afterAll(async () => {
  await original.close();
  await restored.close();
  for (const stores of opened) await stores.close();
  rmSync(directory, { recursive: true, force: true });
});

describe('an export that was loaded into an empty store', () => {
  it('is exported as it was', async () => {
    const [before, after] = [await exported(original), await exported(restored)];
    expect(Object.keys(before)).toEqual([...SECTIONS]);
    expect(withoutUpdates(after)).toEqual(withoutUpdates(before));
  });

  it.each([
    ['/v1/nodes/detail', seesAll],
    ['/v1/nodes', seesOwn('p-a')],
    ['/v1/nodes', seesOwn('p-b')],
    [`/v1/nodes/${uuidOf(1)}`, seesAll],
    [`/v1/nodes/${uuidOf(1)}/history`, seesAll],
    [`/v1/nodes/${uuidOf(1)}/bios`, seesAll],
    ['/v1/ports/detail', seesOwn('p-a')],
    ['/v1/portgroups/detail', seesAll],
    ['/v1/volume/connectors', seesAll],
    ['/v1/volume/targets', seesAll],
    ['/v1/chassis', seesAll],
    ['/v1/deploy_templates', seesAll],
    ['/v1/leases', seesOwn('p-a')],
  ])('answers %s as before (%#)', async (target, obligations) => {
    const [before, after] = await Promise.all(
      [original, restored].map(async (app, index) => {
        const node = await opened[index]?.nodes.findBy('uuid', uuidOf(1));
        const { tenancy_revision = 0 } = node ?? {};
        const resources = target.includes(uuidOf(1))
          ? [{ type: 'node', uuid: uuidOf(1), tenancy_revision }]
          : [];
        const context = { obligations, api_version: '1.91', resources };
        const { status, body } = await app.call({ from: 'gateway', target, context });
        return { status, body: withoutUpdates(body) };
      }),
    );
    expect(before?.status).toBe(200);
    expect(after).toEqual(before);
  });
});
