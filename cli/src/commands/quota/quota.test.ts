import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Run, runTenure } from '../policy/testing/run-tenure.js';
import { ensureContextKeys } from '../up/context-keys.js';

const accountNamed = (account: string) => ({
  account,
  budgets: [
    { name: 'servers', unit: 'records', checked: true, used: 3, limit: 50, source: 'own' },
    {
      name: 'audit_bytes_per_day',
      unit: 'bytes',
      checked: false,
      used: 0,
      limit: null,
      source: 'built_in',
    },
  ],
});

let dataDir: string;
let server: Server;
let url: string;
let calls: string[];

function bodyFor(target: URL): unknown {
  if (target.pathname !== '/internal/quotas') return accountNamed('project:p\u001b[2J');
  return target.searchParams.has('marker')
    ? { accounts: [accountNamed('user:u-1')], next: null }
    : { accounts: [accountNamed('project:p-a')], next: 'project:p-a' };
}

const tenure = (...args: readonly string[]): Promise<Run> =>
  runTenure('quota', ...args, '--inventory-url', url, '--data-dir', dataDir);

beforeAll(async () => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'tenure-quota-'));
  ensureContextKeys(dataDir);
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      calls.push(`${String(request.method)} ${String(request.url)} ${text}`.trimEnd());
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(bodyFor(new URL(request.url ?? '', 'http://localhost'))));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`; // a listening TCP server's address
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(dataDir, { recursive: true });
});
beforeEach(() => {
  calls = [];
});

describe('tenure quota show', () => {
  it('prints each budget of a project, with no control character', async () => {
    const { stdout } = await tenure('show', 'p/1');
    expect(calls).toEqual(['GET /internal/quotas/projects/p%2F1']);
    expect(stdout).not.toContain('\u001b');
    expect(stdout).toMatch(/servers +3 +50 +own\n/u);
    expect(stdout).toMatch(
      /audit_bytes_per_day +- +- +built in \(counted by the decision points\)\n/u,
    );
  });

  it('prints every account, page by page', async () => {
    const { stdout } = await tenure('show', '--all', '--json');
    expect(calls).toEqual([
      'GET /internal/quotas?limit=500',
      'GET /internal/quotas?limit=500&marker=project%3Ap-a',
    ]);
    expect(JSON.parse(stdout)).toEqual([accountNamed('project:p-a'), accountNamed('user:u-1')]);
  });

  it.each([[[]], [['p-a', '--default']], [['p-a', '--all']]])(
    'wants one account (%j)',
    async (args) => {
      expect((await tenure('show', ...args)).error).toBeDefined();
      expect(calls).toEqual([]);
    },
  );
});

describe('tenure quota set', () => {
  it('sets numbers, sizes, no limit and the default', async () => {
    await tenure('set', 'p-a', 'servers=5', 'bytes=16M', 'leases=unlimited', 'claims=default');
    expect(calls).toEqual([
      'PATCH /internal/quotas/projects/p-a ' +
        '{"limits":{"servers":5,"bytes":16777216,"leases":null,"claims":"inherit"}}',
    ]);
  });

  it('sets limits of a user, and the default of all projects', async () => {
    await tenure('set', '--user', 'u-1', 'keypairs=5');
    await tenure('set', '--default', 'servers=7');
    expect(calls).toEqual([
      'PATCH /internal/quotas/users/u-1 {"limits":{"keypairs":5}}',
      'PATCH /internal/quotas/default {"limits":{"servers":7}}',
    ]);
  });

  it.each([['p-a'], ['p-a servers'], ['p-a servers=-1'], ['p-a servers=1.5'], ['p-a servers=']])(
    'refuses an invalid limit before it sends a request (%s)',
    async (args) => {
      expect((await tenure('set', ...args.split(' '))).error).toBeDefined();
      expect(calls).toEqual([]);
    },
  );
});
