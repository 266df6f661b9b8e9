import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  copyFileSync,
  cpSync,
  existsSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { availableNode } from '../support/fleet.js';
import { type Answer, ask } from '../support/http-client.js';
import { root, runDirectory } from '../support/paths.js';
import { inProject, newProject } from '../support/personas.js';
import { signal, stopGroup } from '../support/processes.js';
import { partPid, parts, startTenure, type Tenure } from '../support/tenure.js';
import { eventually, sleep } from '../support/wait.js';

// The embedded store in trouble: 503 or 507 in the API's form, never 500; `/readyz` says so; what needs no write goes on;
// and no restart is needed once the trouble is over, except where the store itself may be the wrong one.

const project = newProject('store-trouble');
const member = inProject(project, 'member');
const mine = availableNode(`${project}-node`, { owner: project });
const READ = `GET /v1/nodes/${mine.uuid}`;

let directory: string;
let dataDir: string;
/** A disk of 16 MiB for the store and the logs of all parts; undefined where this process may not mount one. */
let disk: string | undefined;
let tenure: Tenure;

const storeFile = (): string => path.join(dataDir, 'inventory.sqlite');

function mount(...args: readonly string[]): void {
  execFileSync('mount', args, { stdio: 'ignore' });
}

function unmount(at: string): void {
  execFileSync('umount', ['-l', at]);
}

function mounted(at: string): string | undefined {
  mkdirSync(at);
  try {
    mount('-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', at);
    return at;
  } catch {
    return undefined;
  }
}

function mayMount(): boolean {
  const at = mkdtempSync(path.join(tmpdir(), 'store-trouble-'));
  try {
    const probe = mounted(path.join(at, 'disk'));
    if (probe !== undefined) unmount(probe);
    return probe !== undefined;
  } finally {
    rmSync(at, { recursive: true });
  }
}

/** Tests that need a small disk: named as skipped where this process may not mount one. */
const describeOnDisk = mayMount() ? describe : describe.skip;

beforeAll(async () => {
  mkdirSync(runDirectory, { recursive: true });
  directory = mkdtempSync(path.join(runDirectory, 'store-trouble-data-'));
  dataDir = path.join(directory, 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  disk = mounted(path.join(directory, 'disk'));
  // On that disk lie the store and the logs of all parts: decisions go on elsewhere.
  if (disk !== undefined) {
    symlinkSync(path.join(disk, 'inventory.sqlite'), storeFile());
    mkdirSync(path.join(disk, 'log'));
    symlinkSync(path.join(disk, 'log'), path.join(dataDir, 'log'));
  }
  tenure = await startTenure('store-trouble', { TENURE_DATA_DIR: dataDir });
  await tenure.importDocument({ nodes: [mine] });
}, 180_000);

afterAll(async () => {
  await tenure.stop();
  if (disk !== undefined) unmount(disk);
  rmSync(directory, { recursive: true, force: true });
}, 60_000);

const write = (text: string): Promise<Answer> =>
  ask(tenure, member, `PATCH /v1/nodes/${mine.uuid}`, {
    body: [{ op: 'add', path: '/extra/text', value: text }],
  });

async function admin(page: 'readyz' | 'livez' | 'metrics'): Promise<readonly [number, string]> {
  const port = tenure.env['INVENTORY_ADMIN_PORT'] ?? '';
  const response = await fetch(`http://127.0.0.1:${port}/${page}`);
  return [response.status, await response.text()];
}

async function isWritable(): Promise<string | undefined> {
  const [, metrics] = await admin('metrics');
  return /^tenure_inventory_store_writable\{[^}]*\} (\d)$/mu.exec(metrics)?.[1];
}

const ready = (within = 60_000) =>
  eventually(
    () => admin('readyz'),
    ([status]) => status === 200,
    { within, what: 'readiness' },
  );

/** The sentence of an error in Ironic's form. */
function faultOf({ json }: Answer): string {
  const { error_message: message } = json as { readonly error_message: string };
  return (JSON.parse(message) as { readonly faultstring: string }).faultstring;
}

function fill(at: string): string {
  const file = path.join(at, 'filler');
  const chunk = Buffer.alloc(65_536, 1);
  try {
    for (;;) writeFileSync(file, chunk, { flag: 'a' });
  } catch {
    return file;
  }
}

/** Of a test that runs only where there is one. */
function smallDisk(): string {
  if (disk === undefined) throw new Error('no disk was mounted');
  return disk;
}

const FULL = 'The store is full.';

describeOnDisk('a full disk', () => {
  it('refuses writes with 507 until there is space again, and reads go on', async () => {
    const pids = parts.map((part) => tenure.pidOf(part));
    const filler = fill(smallDisk());
    // The log of the store has some space that it had before.
    const refused = await eventually(
      () => write('x'.repeat(100_000)),
      ({ status }) => status !== 200,
      { within: 60_000, what: 'refusal' },
    );
    expect([refused.status, faultOf(refused)]).toEqual([507, FULL]);
    expect(await admin('readyz')).toEqual([503, `${FULL}\n`]);
    expect(await admin('livez')).toEqual([200, 'ok\n']);
    expect(await isWritable()).toBe('0');
    expect((await ask(tenure, member, READ)).status).toBe(200);
    expect((await ask(tenure, member, 'GET /v1/nodes')).status).toBe(200);
    rmSync(filler);
    await ready();
    expect(await isWritable()).toBe('1');
    expect((await write('space again')).status).toBe(200);
    // The log that lay on the full disk says when it began and when it was over, once each.
    expect(tenure.log().split('the store cannot be written')).toHaveLength(2);
    expect(tenure.log().split('the store can be written again')).toHaveLength(2);
    // Every part has met the full disk with its log.
    expect(parts.map((part) => tenure.pidOf(part))).toEqual(pids);
  }, 180_000);
});

describe('a store that another process has locked', () => {
  it('refuses writes with 503 until it is free, and reads go on meanwhile', async () => {
    const holder = new DatabaseSync(storeFile());
    holder.exec('BEGIN EXCLUSIVE');
    const writing = write('locked');
    const read = await ask(tenure, member, READ);
    const refused = await writing;
    expect([read.status, refused.status]).toEqual([200, 503]);
    expect(faultOf(refused)).toBe('The store is locked by another process; please retry.');
    await eventually(
      () => admin('readyz'),
      ([status, reason]) => status === 503 && reason.includes('locked'),
      { what: 'the reason' },
    );
    holder.exec('ROLLBACK');
    holder.close();
    await ready();
    expect((await write('free')).status).toBe(200);
  }, 120_000);
});

const MOVED =
  'The file of the store was renamed, removed or replaced while the inventory had it open.';

describe('a store whose file is renamed while the inventory runs', () => {
  it('is written no more, says so once, and is used again after it was put back and the inventory restarted', async () => {
    const pid = await partPid(tenure, 'inventory');
    renameSync(storeFile(), `${storeFile()}.away`);
    const refused = await write('lost');
    expect([refused.status, faultOf(refused)]).toEqual([503, MOVED]);
    expect(await admin('readyz')).toEqual([503, `${MOVED}\n`]);
    expect((await ask(tenure, member, READ)).status).toBe(200);
    await sleep(1500);
    await write('lost again');
    expect(tenure.log().split('the store cannot be used: stop the inventory')).toHaveLength(2);
    renameSync(`${storeFile()}.away`, storeFile());
    expect((await write('still refused')).status).toBe(503);
    signal(pid, 'SIGKILL');
    await partPid(tenure, 'inventory', pid);
    await ready();
    const { json } = await ask(tenure, member, READ);
    expect(json).toMatchObject({ extra: { text: 'free' } });
  }, 180_000);
});

interface Ended {
  readonly status: number | null;
  readonly printed: string;
}

/** Starts a part alone, and waits until it has ended or listens; then it is stopped. */
async function startAlone(
  part: 'inventory' | 'pdp' = 'inventory',
  settings: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const script = path.join(root, 'services', part, 'dist', 'server.js');
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script], {
    env: {
      ...tenure.env,
      PDP_BUNDLE: path.join(root, 'policies-rego', 'bundle.tar.gz'),
      TENURE_CONTEXT_KEYS_DIR: path.join(dataDir, 'keys', part),
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      if (printed.includes('"msg":"listening"')) child.kill('SIGTERM');
    });
  const [status] = (await once(child, 'close')) as (number | null)[];
  return { status: status ?? null, printed };
}

const STARTED = expect.objectContaining({ printed: expect.stringContaining('listening') });
const refusedWith = (...texts: readonly string[]) => ({
  status: 1,
  printed: expect.stringMatching(new RegExp(texts.join('.*'), 'u')),
});

function removeStore(): void {
  // The link, where the store has a disk of its own, and whatever lies behind it.
  for (const at of [dataDir, disk ?? dataDir])
    for (const ending of ['', '-wal', '-shm'])
      rmSync(path.join(at, `inventory.sqlite${ending}`), { force: true });
}

const backup = (): string => path.join(directory, 'backup.sqlite');

/** Overwrites what lies behind a place of the store's file. */
function destroy(from: number): void {
  const file = openSync(storeFile(), 'r+');
  const length = fstatSync(file).size - from;
  writeSync(file, Buffer.alloc(length, 0x5a), 0, length, from);
  closeSync(file);
}

describe('a data directory with a history', () => {
  it('refuses a backup that was not accepted, and an empty store, and names the commands', async () => {
    const copy = backup();
    await tenure.cli('backup', copy);
    await expect(tenure.cli('restore', copy)).rejects.toThrow('the inventory is running');
    expect((await write('after the backup')).status).toBe(200);
    await stopGroup(tenure.pid, 60_000);

    removeStore();
    copyFileSync(copy, storeFile());
    expect(await startAlone()).toEqual(refusedWith('is older than', 'tenure migrate --restored'));
    expect(await tenure.cli('migrate', '--restored')).toContain('count no more');
    expect(await startAlone()).toEqual(STARTED);

    removeStore();
    const lost = refusedWith('empty or missing', 'tenure restore FILE', 'tenure migrate --empty');
    expect(await startAlone()).toEqual(lost);
    writeFileSync(storeFile(), '');
    expect(await startAlone()).toEqual(lost);
    await expect(tenure.cli('migrate')).rejects.toThrow('tenure restore FILE');
    expect(await tenure.cli('restore', copy)).toContain('inventory.sqlite.before-');
    expect(await startAlone()).toEqual(STARTED);

    removeStore();
    expect(await tenure.cli('migrate', '--empty')).toContain('belongs to this empty store');
    expect(existsSync(storeFile())).toBe(true);
    expect(await startAlone()).toEqual(STARTED);
  }, 600_000);

  it.each([
    ['is no database any more', 0, 'not a database'],
    ['has pages that cannot be right', 4096, 'malformed|corrupt'],
  ])(
    'refuses a store that %s, until it is restored',
    async (_what, from, text) => {
      await tenure.cli('restore', backup());
      expect(await startAlone()).toEqual(STARTED);
      destroy(from);
      expect(await startAlone()).toEqual(refusedWith(text));
      await tenure.cli('restore', backup());
      expect(await startAlone()).toEqual(STARTED);
    },
    300_000,
  );
});

describeOnDisk('a part that starts on a disk that takes no writes', () => {
  const TAKES_NONE = {
    full: 'the disk is full',
    readOnly: 'the file system is read-only',
  } as const;
  let own: string;
  let settings: Readonly<Record<string, string>>;
  let elsewhere: Readonly<Record<string, string>>;

  beforeAll(async () => {
    await stopGroup(tenure.pid, 60_000);
    own = path.join(smallDisk(), 'own');
    settings = { TENURE_DATA_DIR: own };
    elsewhere = { ...settings, PDP_BUNDLE_DIR: path.join(directory, 'history') };
    cpSync(path.join(dataDir, 'keys'), path.join(own, 'keys'), { recursive: true });
    await startAlone('inventory', settings);
    await startAlone('pdp', settings);
    await startAlone('pdp', elsewhere);
    // As after an orderly stop, whatever the signal met: SQLite has to make it again.
    rmSync(path.join(own, 'inventory.sqlite-shm'), { force: true });
  }, 120_000);

  /** The decision point, whose history comes first where both are on the disk. */
  async function expectRefusals(reason: string): Promise<void> {
    expect(await startAlone('pdp', settings)).toEqual(
      refusedWith('could not start: the history of policies in', `cannot be used: ${reason}`),
    );
    expect(await startAlone('pdp', elsewhere)).toEqual(
      refusedWith('could not start: the decision log in', `cannot be used: ${reason}`),
    );
  }

  it('ends and says so when the disk is full, and starts when there is space', async () => {
    const filler = fill(smallDisk());
    expect(await startAlone('inventory', settings)).toEqual(
      refusedWith('could not start: ', 'cannot be opened for writing. The store is full'),
    );
    await expectRefusals(TAKES_NONE.full);
    rmSync(filler);
    expect(await startAlone('inventory', settings)).toEqual(STARTED);
    expect(await startAlone('pdp', settings)).toEqual(STARTED);
  }, 180_000);

  it('ends and says so when the file system is read-only', async () => {
    mount('-o', 'remount,ro', smallDisk());
    try {
      expect(await startAlone('inventory', settings)).toEqual(
        refusedWith('could not start: the store', `cannot be used: ${TAKES_NONE.readOnly}`),
      );
      await expectRefusals(TAKES_NONE.readOnly);
    } finally {
      mount('-o', 'remount,rw', smallDisk());
    }
  }, 180_000);
});
