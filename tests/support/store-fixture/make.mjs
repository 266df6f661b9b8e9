// Keeps what this release's inventory stores of a small fleet, for the tests of the next one's migration.
// Usage, before the release that changes what is stored, with everything built:
//   scripts/test-env/with-mongo.sh node tests/support/store-fixture/make.mjs DIR
// Writes DIR/sqlite.jsonl, DIR/mongodb.jsonl (the stores as they are) and DIR/expected.json (what the API says of them).
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { contextKeysDir, ensureContextKeys } from '../../../cli/dist/commands/up/context-keys.js';
import { createServiceClient } from '../../../shared/http/dist/index.js';
import { loadContextKeys } from '../../../shared/signed-context/dist/index.js';
import { FLEET, LATE_NODE, LOCKED_NODE, HISTORY_NODE } from './fleet.mjs';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');
const out = process.argv[2];
const mongodbUri = process.env['TENURE_TEST_MONGODB_URI'];
if (out === undefined || mongodbUri === undefined) {
  console.error('usage: with-mongo.sh node tests/support/store-fixture/make.mjs DIR');
  process.exit(2);
}

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

const everything = {
  filter: { mode: 'all', predicates: [] },
  fields: { masked: [], read_only: [] },
  set: {},
};

const callers = (dataDir, baseUrl) => {
  const clients = ['cli', 'conductor', 'gateway'].map((caller) => {
    const keys = loadContextKeys(contextKeysDir(dataDir, caller), caller);
    return [caller, createServiceClient({ baseUrl, keys, deadlineMs: 20_000 })];
  });
  const byName = Object.fromEntries(clients);
  const call = (caller, method, target, body, resources = []) =>
    byName[caller].call({
      method,
      target,
      ...(body !== undefined && { body }),
      statement: {
        aud: 'inventory',
        request_id: 'req-00000000-0000-4000-8000-000000000000',
        subject: {
          user_id: 'u-admin',
          project_id: null,
          system_scope: 'all',
          domain_id: null,
          roles: ['admin'],
        },
        action: 'tenure:inventory:operate',
        decision_id: null,
        api_version: '1.91',
        public_base: 'http://127.0.0.1:6385',
        resources,
        obligations: everything,
      },
    });
  return { call, close: () => Promise.all(clients.map(([, client]) => client.close())) };
};

/** Runs the inventory over one store while `work` is done. */
const withInventory = async (settings, work) => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'store-fixture-'));
  ensureContextKeys(dataDir);
  const port = await freePort();
  const adminPort = await freePort();
  const child = spawn(process.execPath, [path.join(ROOT, 'services/inventory/dist/server.js')], {
    env: {
      PATH: process.env['PATH'],
      TENURE_DATA_DIR: dataDir,
      TENURE_CONTEXT_KEYS_DIR: contextKeysDir(dataDir, 'inventory'),
      INVENTORY_PORT: String(port),
      INVENTORY_ADMIN_PORT: String(adminPort),
      LOG_LEVEL: 'warn',
      ...settings,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const { call, close } = callers(dataDir, `http://127.0.0.1:${port}`);
  try {
    for (;;) {
      const ready = await fetch(`http://127.0.0.1:${adminPort}/readyz`).catch(() => undefined);
      if (ready?.ok) break;
      if (child.exitCode !== null) throw new Error('the inventory ended');
      await sleep(100);
    }
    const answer = await work(call);
    await close();
    child.kill('SIGTERM');
    await ended;
    return { answer, dataDir };
  } finally {
    child.kill('SIGKILL');
  }
};

const fill = async (call) => {
  await call('cli', 'POST', '/internal/import', FLEET);
  const conductor = {
    drivers: ['fake-hardware', 'redfish'],
    conductor_group: '',
    timeout_seconds: 60,
  };
  await call('conductor', 'PUT', '/internal/conductors/c1.example', conductor);
  await call('conductor', 'PUT', '/internal/conductors/c2.example', conductor);
  await call('conductor', 'DELETE', '/internal/conductors/c2.example');
  await call('conductor', 'POST', `/internal/nodes/${LOCKED_NODE}/reservation`, {
    holder: 'c1.example',
    set: {},
  });
  await call('conductor', 'POST', `/internal/nodes/${HISTORY_NODE}/history`, {
    event: 'the BMC did not answer',
    severity: 'ERROR',
    event_type: 'power',
    conductor: 'c1.example',
  });
  // One comes and goes, which raises the minimum below which no number may be reused.
  const { tenancy_revision } = await call('conductor', 'GET', `/internal/nodes/${LATE_NODE}`);
  await call('gateway', 'DELETE', `/v1/nodes/${LATE_NODE}`, undefined, [
    { type: 'node', uuid: LATE_NODE, tenancy_revision },
  ]);
  const sections = {};
  for (const section of Object.keys(FLEET))
    sections[section] = (
      await call('cli', 'GET', `/internal/export?section=${section}&limit=1000`)
    ).rows;
  const numbers = {};
  for (const { uuid } of sections.nodes) {
    const {
      revision,
      tenancy_revision: tenancy,
      fence,
    } = await call('conductor', 'GET', `/internal/nodes/${uuid}`);
    numbers[uuid] = { revision, tenancy_revision: tenancy, fence };
  }
  return { sections, numbers };
};

const lines = (rows) => `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`;

const dumpSqlite = (file) => {
  const database = new DatabaseSync(file, { readOnly: true });
  const made = database
    .prepare(
      "SELECT sql, name, type FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid",
    )
    .all();
  const tables = made.filter(({ type }) => type === 'table').map(({ name }) => name);
  const rows = tables.flatMap((table) => {
    // Without the generated columns, which nobody may insert.
    const columns = database
      .prepare('SELECT name FROM pragma_table_info(?)')
      .all(table)
      .map(({ name }) => `"${name}"`);
    return database
      .prepare(`SELECT ${columns.join(', ')} FROM "${table}" ORDER BY rowid`)
      .all()
      .map((row) => ({ table, row }));
  });
  const sequences = database
    .prepare('SELECT name, seq FROM sqlite_sequence ORDER BY name')
    .all()
    .map((row) => ({ table: 'sqlite_sequence', row }));
  database.close();
  return lines([...made.map(({ sql }) => ({ sql })), ...rows, ...sequences]);
};

const dumpMongo = async (client, name) => {
  const database = client.db(name);
  const names = (await database.listCollections().toArray()).map((one) => one.name).sort();
  const found = [];
  for (const collection of names) {
    const indexes = await database.collection(collection).indexes();
    for (const { key, unique = false } of indexes)
      if (!('_id' in key)) found.push({ collection, index: key, unique });
    const documents = await database.collection(collection).find().sort({ _id: 1 }).toArray();
    for (const document of documents) found.push({ collection, document });
  }
  return lines(found);
};

mkdirSync(out, { recursive: true });
const embedded = await withInventory({}, fill);
writeFileSync(
  path.join(out, 'sqlite.jsonl'),
  dumpSqlite(path.join(embedded.dataDir, 'inventory.sqlite')),
);
const database = `fixture_${process.pid}`;
const real = await withInventory({ MONGODB_URI: mongodbUri, MONGODB_DATABASE: database }, fill);
const client = await MongoClient.connect(mongodbUri);
writeFileSync(path.join(out, 'mongodb.jsonl'), await dumpMongo(client, database));
await client.db(database).dropDatabase();
await client.close();
// Random values and times differ between the two.
const expected = { sqlite: embedded.answer, mongodb: real.answer };
writeFileSync(path.join(out, 'expected.json'), `${JSON.stringify(expected, null, 1)}\n`);
for (const { dataDir } of [embedded, real]) rmSync(dataDir, { recursive: true, force: true });
