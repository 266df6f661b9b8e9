import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger, createRegistry, loadConfig, type Registry } from '@tenure/process';
import { createApp } from '../../app.js';
import { VARIABLES } from '../../config.js';
import { type Stores } from '../../ports/stores.js';
import { fileStores } from '../../testing/empty-stores.js';
import { makeNode, uuidOf } from '../../testing/fixtures.js';
import {
  makeKeyring,
  runApp,
  type RunningApp,
  type SignedCall,
} from '../../testing/signed-request.js';
import { checkBmcAddressForTests, seesAll } from '../../testing/test-app.js';
import { openCustodySigner } from '../custody-signer-key.js';
import { createReaderMetrics } from './reader-metrics.js';
import { type ReaderPool, startReaderPool } from './reader-pool.js';
import { readerThreads } from './thread-reader.js';

const logger = createLogger('inventory', 'fatal');
const now = (): Date => new Date();
const testing = new URL('../../testing/', import.meta.url);

const LIST = { from: 'gateway', target: '/v1/nodes', context: { obligations: seesAll } } as const;
const QUESTION = {
  from: 'gateway',
  target: `/internal/tenancy/nodes/${uuidOf(1)}`,
} as const;

const uuidsIn = (body: unknown): readonly string[] =>
  (body as { readonly nodes: readonly { readonly uuid: string }[] }).nodes.map(({ uuid }) => uuid);

describe('lists that threads read from the file', () => {
  let directory: string;
  let stores: Stores;
  let pool: ReaderPool;
  let app: RunningApp;
  let registry: Registry;

  beforeAll(async () => {
    directory = mkdtempSync(path.join(tmpdir(), 'readers-'));
    const keyring = makeKeyring();
    for (const [caller, [key]] of keyring.inventory.incoming)
      writeFileSync(
        path.join(directory, `${caller}--inventory.key`),
        key.export().toString('base64url'),
      );
    const config = loadConfig(VARIABLES, {
      TENURE_DATA_DIR: directory,
      TENURE_CONTEXT_KEYS_DIR: directory,
    });
    stores = await fileStores(path.join(directory, 'inventory.sqlite'));
    await stores.nodes.insert((epoch) => makeNode({ uuid: uuidOf(1) }, epoch));
    const signer = openCustodySigner(config.custodyKeyFile);
    registry = createRegistry('inventory');
    pool = await startReaderPool({
      start: readerThreads({
        thread: new URL('blocked-reader-thread.ts', testing),
        config,
        execArgv: [
          '--conditions=source',
          '--import',
          new URL('typescript-threads.ts', testing).href,
        ],
      }),
      readers: 1,
      capacity: 8,
      deadlineMs: 9000,
      logger,
      metrics: (waiting) => createReaderMetrics(registry, waiting),
    });
    const { inventory: keys } = keyring;
    app = await runApp(
      createApp({
        stores,
        keys,
        signer,
        logger,
        now,
        keepConductorsMs: 60_000,
        readers: pool,
        checkBmcAddress: checkBmcAddressForTests,
      }),
      keyring,
    );
  });

  afterAll(async () => {
    rmSync(path.join(directory, 'block'), { force: true });
    await app.close();
    await pool.close();
    await stores.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const hold = (): void => {
    writeFileSync(path.join(directory, 'block'), '');
  };
  const unblock = (): void => {
    rmSync(path.join(directory, 'block'));
  };
  const blocked = async (): Promise<void> => {
    while (!existsSync(path.join(directory, 'blocked'))) await sleep(5);
  };

  it('do not delay tenancy queries, however long they take', async () => {
    const events: string[] = [];
    hold();
    const list = app.call(LIST).then((answer) => {
      events.push('the list');
      return answer;
    });
    await blocked();
    const question = await app.call(QUESTION);
    events.push('the question');
    expect(question.body).toMatchObject({ uuid: uuidOf(1) });
    unblock();
    expect((await list).status).toBe(200);
    expect(events).toEqual(['the question', 'the list']);
  });

  it('contain every write that was answered before', async () => {
    for (let number = 2; number <= 6; number += 1) {
      await stores.nodes.insert((epoch) => makeNode({ uuid: uuidOf(number) }, epoch));
      const { status, headers, body } = await app.call(LIST);
      expect(status).toBe(200);
      expect(uuidsIn(body).at(-1)).toBe(uuidOf(number));
      expect(headers.get('x-tenure-policy-filter')).toBe('all');
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    }
  });

  it('report the work of the thread in their responses', async () => {
    const { headers } = await app.call(LIST);
    const [elapsed = NaN, active = NaN] = (headers.get('x-tenure-spent') ?? '')
      .split(' ')
      .map(Number);
    expect(elapsed).toBeGreaterThan(0);
    expect(active).toBeGreaterThan(0);
  });

  it('refuse with the API’s errors', async () => {
    const { status, body } = await app.call({ ...LIST, target: '/v1/nodes?limit=0' });
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain('Limit must be positive');
  });

  it('leave requests that need a write to the main thread', async () => {
    const event = { uuid: uuidOf(77), created_at: '2026-11-21T08:00:00+00:00', severity: 'INFO' };
    const latest = { ...event, event: 'stored', event_type: null, conductor: null, user: null };
    await stores.nodes.insert((epoch) =>
      makeNode({ uuid: uuidOf(8), latest_event: { ...latest, number: 1 } }, epoch),
    );
    const node = await stores.nodes.findBy('uuid', uuidOf(8));
    const resources = [
      { type: 'node', uuid: uuidOf(8), tenancy_revision: node?.tenancy_revision ?? 0 },
    ];
    const history = {
      from: 'gateway',
      target: `/v1/nodes/${uuidOf(8)}/history`,
      context: { api_version: '1.78', resources, obligations: seesAll },
    } satisfies SignedCall;
    // The second request finds the entry and needs no write.
    for (const time of ['first', 'second']) {
      const { status, body } = await app.call(history);
      expect([time, status]).toEqual([time, 200]);
      expect(body).toMatchObject({ history: [{ uuid: uuidOf(77) }] });
      expect(await registry.metrics()).toContain(
        'tenure_inventory_reader_requests_total{reader="0",outcome="handed_back",part="inventory"} 1',
      );
    }
  });
});
