import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Db, MongoClient } from 'mongodb';
import {
  mongoLines,
  restoreSqlite,
} from '../../services/inventory/src/testing/previous-release.js';
import { type MongoStandIn, startMongo } from '../support/mongo-stand-in.js';
import { certificates, cleanEnvironment, root, runDirectory } from '../support/paths.js';
import { freePort } from '../support/processes.js';

// `tenure migrate`, the program in the image and the start of the inventory, as processes over real connections.

const PASSWORD = 'open-sesame';

let plain: MongoStandIn;
let secured: MongoStandIn;
let client: MongoClient;
let directory: string;
beforeAll(async () => {
  [plain, secured] = await Promise.all([startMongo(), startMongo({ tls: true })]);
  client = await MongoClient.connect(`mongodb://${plain.address}/?retryWrites=false`);
  mkdirSync(runDirectory, { recursive: true });
  directory = mkdtempSync(path.join(runDirectory, 'migration-'));
});
afterAll(async () => {
  await client.close();
  plain.stop();
  secured.stop();
  rmSync(directory, { recursive: true, force: true });
});

type Settings = Readonly<Record<string, string>>;

interface Ended {
  readonly status: number | null;
  readonly printed: string;
}

const start = (args: readonly string[], settings: Settings) =>
  spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
    env: { ...cleanEnvironment(), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

async function run(args: readonly string[], settings: Settings): Promise<Ended> {
  const child = start(args, settings);
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const [status] = (await once(child, 'close')) as (number | null)[];
  return { status: status ?? null, printed };
}

const script = (name: string): string => path.join(root, 'services', 'inventory', 'dist', name);
const migrate = (settings: Settings, ...args: readonly string[]): Promise<Ended> =>
  run([script('migrate.js'), ...args], settings);

let databases = 0;
/** A database as the release before has left it. */
async function restored(): Promise<{ settings: Settings; database: Db }> {
  const name = `release_1_${(databases += 1)}`;
  const database = client.db(name);
  for (const { collection, index, unique = false, document } of mongoLines()) {
    const records = database.collection<{ _id: string }>(collection);
    if (index !== undefined) await records.createIndexes([{ key: index, unique }]);
    if (document !== undefined) await records.insertOne(document);
  }
  const settings = {
    MONGODB_URI: `mongodb://${plain.address}/?retryWrites=false`,
    MONGODB_DATABASE: name,
  };
  return { settings, database };
}

type Row = Readonly<Record<string, unknown>>;

/** The rows with their rank in the order of creation: places themselves are chosen at random. */
function ranked(rows: readonly Row[]): readonly Row[] {
  const places = rows.map(({ seq }) => Number(seq ?? 0)).sort((a, b) => a - b);
  return rows.map(({ seq, ...row }) =>
    seq === undefined ? row : { ...row, rank: places.indexOf(Number(seq)) },
  );
}

async function contentOf(database: Db): Promise<unknown> {
  const names = (await database.listCollections().toArray()).map(({ name }) => name).sort();
  return Promise.all(
    names.map(async (name) => [
      name,
      (await database.collection(name).indexes()).map(({ key }) => JSON.stringify(key)).sort(),
      ranked(await database.collection(name).find().sort({ _id: 1 }).toArray()),
    ]),
  );
}

const lines = ({ printed }: Ended): unknown[] =>
  printed
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));

describe('a migration', () => {
  it('is announced first, then done, then not needed', async () => {
    const { settings } = await restored();
    const output = await migrate(settings, '--check');
    expect(output.status).toBe(1);
    expect(output.printed).toContain('the store is at version 1; to be done:\n  2  Indexes that');
    const done = await migrate(settings, '--json');
    expect(done.status).toBe(0);
    expect(lines(done)).toMatchObject([
      { event: 'started', version: 2 },
      { event: 'done', version: 2 },
      { event: 'started', version: 3 },
      { event: 'done', version: 3 },
      { event: 'started', version: 4 },
      { event: 'done', version: 4 },
      { event: 'migrated', version: 4, versions: [2, 3, 4] },
    ]);
    const again = await migrate(settings, '--check');
    expect(again).toEqual({ status: 0, printed: 'nothing to do: the store is at version 4\n' });
  });

  it('may be started twice at once', async () => {
    const { settings, database } = await restored();
    const both = await Promise.all([migrate(settings, '--json'), migrate(settings, '--json')]);
    expect(both.map(({ status }) => status)).toEqual([0, 0]);
    expect(both.map((one) => lines(one).at(-1))).toEqual(
      expect.arrayContaining([
        { event: 'migrated', version: 4, versions: [2, 3, 4] },
        { event: 'migrated', version: 4, versions: [] },
      ]),
    );
    expect(await database.collection('store_schema').find().toArray()).toMatchObject([
      { version: 4, compatible_from: 3, holder: null },
    ]);
  });

  it('that was killed half way is done by the next, with the same result', async () => {
    const whole = await restored();
    await migrate(whole.settings);
    const cut = await restored();
    const child = start([script('migrate.js')], cut.settings);
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'close');
    const early = await migrate(cut.settings, '--wait', '0');
    expect(early).toMatchObject({ status: 2 });
    expect(early.printed).toContain('did not finish in time');
    // a minute later
    const schema = cut.database.collection('store_schema');
    await schema.updateOne({}, { $set: { until: Date.now() } });
    expect(await migrate(cut.settings)).toMatchObject({ status: 0 });
    expect(await contentOf(cut.database)).toEqual(await contentOf(whole.database));
  });

  it('refuses a store of a newer release, and so does the inventory', async () => {
    const { settings, database } = await restored();
    await migrate(settings);
    const schema = database.collection('store_schema');
    await schema.updateOne({}, { $set: { version: 99, compatible_from: 98 } });
    const refused = await migrate(settings);
    expect(refused.status).toBe(2);
    expect(refused.printed).toContain('data of version 99');
    const started = await startInventory(settings);
    expect(started).toMatchObject({ status: 1 });
    expect(started.printed).toContain('data of version 99');
  });

  it('of the embedded store is that of the command line too', async () => {
    const dataDir = mkdtempSync(path.join(directory, 'data-'));
    restoreSqlite(path.join(dataDir, 'inventory.sqlite'));
    const cli = (...args: readonly string[]) =>
      run([path.join(root, 'cli', 'dist', 'main.js'), 'migrate', ...args], {
        TENURE_DATA_DIR: dataDir,
      });
    expect(await cli('--check')).toMatchObject({ status: 1 });
    expect(await cli()).toMatchObject({ status: 0 });
    expect(await cli('--check', '--json')).toEqual({
      status: 0,
      printed: '{"event":"checked","version":4,"pending":[]}\n',
    });
    expect(await cli('--wait', 'soon')).toMatchObject({ status: 2 });
  });
});

/** Runs the inventory until it ends by itself. */
async function startInventory(settings: Settings): Promise<Ended> {
  const keys = path.join(directory, 'keys');
  mkdirSync(keys, { recursive: true });
  writeFileSync(path.join(keys, 'cli--inventory.key'), `${'A'.repeat(43)}\n`);
  return run([script('server.js')], {
    ...settings,
    TENURE_CONTEXT_KEYS_DIR: keys,
    INVENTORY_PORT: String(await freePort()),
    INVENTORY_ADMIN_PORT: String(await freePort()),
  });
}

describe('the start of the inventory', () => {
  it('is refused on data that is to be migrated first, saying how', async () => {
    const { settings } = await restored();
    const { status, printed } = await startInventory(settings);
    expect(status).toBe(1);
    expect(printed).toContain('run `tenure migrate` first');
  });
});

describe('a MongoDB with TLS', () => {
  const uriFile = (uri: string): string => {
    const file = path.join(mkdtempSync(path.join(directory, 'uri-')), 'uri');
    writeFileSync(file, `${uri}\n`);
    return file;
  };
  const settings = (more: Settings): Settings => ({
    MONGODB_URI_FILE: uriFile(`mongodb://${secured.address}/?retryWrites=false`),
    MONGODB_DATABASE: 'secured',
    ...more,
  });

  it('is trusted by the authority that is named', async () => {
    const trusting = settings({ MONGODB_TLS_CA_FILE: certificates.ca });
    expect(await migrate(trusting, '--check')).toMatchObject({ status: 1 });
    expect(await migrate(trusting)).toMatchObject({ status: 0 });
    expect(await migrate(trusting, '--check')).toMatchObject({ status: 0 });
  });

  it.each([
    ['another authority', { MONGODB_TLS_CA_FILE: certificates.otherCa }, /certificate|signature/u],
    ['a missing file', { MONGODB_TLS_CA_FILE: '/nonexistent/ca.pem' }, /MONGODB_TLS_CA_FILE/u],
    ['no TLS', {}, /./u],
  ])('is refused with %s', async (_what, more, why) => {
    const refused = await migrate(settings(more));
    expect(refused.status).toBe(2);
    expect(refused.printed).toMatch(why);
  });

  it('is refused where its certificate would not be checked', async () => {
    const uri = `mongodb://${secured.address}/?tls=true&tlsAllowInvalidCertificates=true`;
    const refused = await migrate({ MONGODB_URI_FILE: uriFile(uri) });
    expect(refused.status).toBe(2);
    expect(refused.printed).toContain('tlsallowinvalidcertificates is not allowed');
  });

  it.each([
    ['nobody is there', () => `mongodb://ann:${PASSWORD}@127.0.0.1:9/`, 'ECONNREFUSED'],
    ['the host has no address', () => `mongodb://ann:${PASSWORD}@nowhere.invalid/`, 'nowhere'],
    ['the password is refused', () => `mongodb://ann:${PASSWORD}@${plain.address}/`, ''],
    ['it is no URI', () => `mongodb://ann:${PASSWORD}:@@${plain.address}/`, ''],
  ])('keeps its password to itself when %s', async (_why, uri, why) => {
    const given = { MONGODB_URI_FILE: uriFile(uri()) };
    // Each waits for seconds for a server that is not there.
    for (const { status, printed } of await Promise.all([migrate(given), startInventory(given)])) {
      expect(status).not.toBe(0);
      expect(printed).toContain(why);
      expect(printed).not.toContain(PASSWORD);
      expect(printed).not.toContain(Buffer.from(PASSWORD).toString('base64'));
    }
  });
});
