import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  createLogWriter,
  loadOrCreateSigningKeys,
  openSegments,
  signingKeyFile,
} from '@tenure/decision-log';
import { memberOf } from '@tenure/policy';
import { ExitStatus } from '../../terminal/exit-status.js';
import { productBundle } from '../policy/testing/product-bundle.js';
import { runTenure } from '../policy/testing/run-tenure.js';

const NODE = '1be26c0b-03f2-4d2e-ae87-c02d7f33c781';

const record = (id: string, change: Record<string, unknown>): Record<string, unknown> => ({
  decision_id: id,
  timestamp: `2026-11-21T06:00:0${id}.000Z`,
  input: {
    action: 'baremetal:node:set_power_state',
    subject: { user_id: 'ann', project_id: 'team', roles: ['reader'] },
    resource: { type: 'node', id: NODE, owner: 'team', lessee: null, tenancy_revision: 1 },
  },
  result: { allow: false, reason: 'not_granted', grants: [], denied: [] },
  ...change,
});

const read = {
  action: 'baremetal:node:get',
  subject: { user_id: 'ben', project_id: 'other', roles: ['admin'] },
  resource: { type: 'node', id: 'n-2', owner: 'other', lessee: null, tenancy_revision: 1 },
};

const RECORDS = [
  record('1', { req_id: 'req-1' }),
  record('2', {
    input: read,
    result: { allow: true, reason: 'granted', grants: ['owner_reader'] },
  }),
  record('3', {
    input: { ...read, subject: null },
    result: { allow: false, reason: 'not_visible' },
  }),
  record('4', { masked: ['/input/action'], result: { allow: true, grants: ['x'] } }),
];

let dataDir: string;
let bundle: string;

beforeAll(async () => {
  bundle = productBundle();
  dataDir = mkdtempSync(path.join(tmpdir(), 'tenure-decisions-'));
  const dir = path.join(dataDir, 'decisions', 'pdp-1');
  const store = await openSegments(
    { dir, instance: 'pdp-1', ...loadOrCreateSigningKeys(signingKeyFile(dataDir)) },
    {
      segmentBytes: 1e6,
      segmentMs: 86_400_000,
      keepMs: 86_400_000,
      spaceBytes: 1e9,
      reserveBytes: 1e6,
      neededFrom: () => undefined,
      onRetired: () => undefined,
      onWritten: () => undefined,
      sync: false,
    },
  );
  const writer = createLogWriter({
    store,
    mode: 'strict',
    maxPending: 1e6,
    deadlineMs: 15_000,
    headEveryMs: 10,
    onFailure: () => undefined,
  });
  for (const one of RECORDS) await writer.add(JSON.stringify(one).slice(1, -1));
  await writer.close();
});

interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command to its end. @throws the error of the command */
async function tenure(...args: readonly string[]): Promise<Ended> {
  const { error, ...rest } = await runTenure('decisions', ...args, '--data-dir', dataDir);
  if (error !== undefined && !(error instanceof ExitStatus)) throw error as Error; // what a command throws is one
  return { ...rest, status: error?.status ?? 0 };
}

const jsonOf = async (...args: readonly string[]): Promise<unknown> =>
  JSON.parse((await tenure(...args, '--json')).stdout);

async function idsFound(...filter: readonly string[]): Promise<unknown> {
  const found = memberOf(await jsonOf('search', ...filter), 'decisions');
  return Array.isArray(found) ? found.map((one) => memberOf(one, 'decision_id')) : found;
}

describe('tenure decisions search', () => {
  it.each([
    [[], ['4', '3', '2', '1']],
    [
      ['--user', 'ann'],
      ['4', '1'],
    ],
    [
      ['--project', 'team'],
      ['4', '1'],
    ],
    [
      ['--project', 'other'],
      ['3', '2'],
    ],
    [
      ['--node', 'n-2'],
      ['3', '2'],
    ],
    [
      ['--action', 'baremetal:node:get'],
      ['3', '2'],
    ],
    [['--denied'], ['3', '1']],
    [['--allowed'], ['4', '2']],
    [['--request', 'req-1'], ['1']],
    [
      ['--since', '2026-11-21T06:00:03Z'],
      ['4', '3'],
    ],
    [
      ['--until', '2026-11-21T06:00:02Z'],
      ['2', '1'],
    ],
    [['--limit', '1'], ['4']],
    [['--user', 'ben', '--denied'], []],
  ])('finds of %j the decisions %j', async (filter, ids) => {
    expect(await idsFound(...filter)).toEqual(ids);
  });

  it('writes a line for each decision, the newest last', async () => {
    const { stdout, stderr } = await tenure('search', '--user', 'ben');
    expect(stdout).toBe(
      '2026-11-21T06:00:02.000Z allow baremetal:node:get user=ben project=other node=n-2 owner=other grants=owner_reader 2\n',
    );
    expect(stderr).toBe('1 decisions\n');
  });
});

describe('tenure decisions show', () => {
  it('shows the record whole', async () => {
    expect(await jsonOf('show', '2')).toMatchObject({ ...RECORDS[1], seq: 2 });
  });

  it('cannot show what there is not', async () => {
    await expect(tenure('show', '5')).rejects.toThrow('there is no decision 5');
  });
});

describe('tenure decisions tail', () => {
  it('shows the last ones, in order', async () => {
    const { stdout } = await tenure('tail', '--no-follow', '-n', '2', '--json');
    const ids = stdout
      .trimEnd()
      .split('\n')
      .map((line) => memberOf(JSON.parse(line), 'decision_id'));
    expect(ids).toEqual(['3', '4']);
  });
});

describe('tenure decisions why', () => {
  it('shows which grants were nearest to a refused caller, and on which facts they failed', async () => {
    expect(await jsonOf('why', '1', '--bundle', bundle)).toMatchObject({
      decision_id: '1',
      same_policy: false,
      allow: false,
      grants: [],
      nearest_misses: [
        { grant: 'owner_member', missing: [{ fact: 'role', has: ['reader'], needs: 'member' }] },
        { grant: 'system_member' },
        { grant: 'nova_service' },
        { grant: 'lessee_member' },
      ],
    });
  });

  it('names the grants of an allowed one', async () => {
    expect(await jsonOf('why', '2', '--bundle', bundle)).toMatchObject({
      allow: true,
      grants: ['owner_reader'],
      nearest_misses: [],
    });
  });
});

describe('tenure decisions replay', () => {
  const overlayOf = (text: string): string => {
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'tenure-overlay-')), 'overlay.yaml');
    writeFileSync(file, text);
    return file;
  };
  const opened = (): string =>
    overlayOf(
      'baremetal:node:set_power_state: [owner_reader]\nbaremetal:node:get: [system_reader]\n',
    );

  it('groups who gains and who loses, and passes over what the log does not show', async () => {
    const { status, stdout } = await tenure(
      'replay',
      '--json',
      '--bundle',
      bundle,
      '--overlay',
      opened(),
    );
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      replayed: 3,
      skipped: 1,
      newly_allowed: [],
      newly_denied: [
        {
          tenant: 'other',
          persona: 'owner admin',
          action: 'baremetal:node:get',
          grant: 'owner_reader',
          count: 1,
          decisions: ['2'],
        },
      ],
    });
  });

  it('fails on the kinds of --fail-on, unless they were approved', async () => {
    const overlay = opened();
    const replay = async (...more: readonly string[]): Promise<number> =>
      (await tenure('replay', '--bundle', bundle, '--overlay', overlay, ...more)).status;
    expect(await replay('--fail-on', 'newly-allowed')).toBe(0);
    expect(await replay('--fail-on', 'newly-denied')).toBe(1);
    const approvals = overlayOf(
      '[{"action": "baremetal:node:get", "persona": "owner admin", "reason": "agreed"}]',
    );
    expect(await replay('--fail-on', 'newly-denied', '--approvals', approvals)).toBe(0);
    const others = overlayOf('[{"action": "baremetal:node:get", "tenant": "team"}]');
    expect(await replay('--fail-on', 'newly-denied', '--approvals', others)).toBe(1);
    await expect(replay('--approvals', overlayOf('[{"reason": "all"}]'))).rejects.toThrow(
      'approvals',
    );
  });
});

describe('tenure decisions verify', () => {
  it('finds a log as it was written, and names a record that is not', async () => {
    expect(await tenure('verify')).toMatchObject({
      status: 0,
      stdout: 'pdp-1: 4 records in 1 segments, as they were written\n',
    });
    const file = path.join(dataDir, 'decisions', 'pdp-1', '00000001.jsonl');
    const whole = readFileSync(file, 'utf8');
    writeFileSync(file, whole.replace('"user_id":"ben"', '"user_id":"eve"'));
    try {
      expect(await tenure('verify')).toMatchObject({
        status: 1,
        stdout: [
          'pdp-1: 4 records in 1 segments, 1 findings',
          '  edited: the record is not the one that was written (pdp-1, segment 1, line 2, record 2) decision 2\n',
        ].join('\n'),
      });
    } finally {
      writeFileSync(file, whole);
    }
  });
});

describe('tenure decisions retention', () => {
  const MIB = 1024 * 1024;

  it('shows disk usage, the bytes of a day, and the accounts that use most of their share', async () => {
    const root = mkdtempSync(path.join(tmpdir(), 'tenure-retention-'));
    mkdirSync(path.join(root, 'pdp-1'));
    writeFileSync(path.join(root, 'pdp-1', 'HEAD'), '');
    const state = {
      at: '2026-11-22T12:00:00.000Z',
      keep_seconds: 1_209_600,
      space_bytes: 8192 * MIB,
      reserve_bytes: 819 * MIB,
      disk_free_bytes: 9000 * MIB,
      project_bytes_per_day: 52 * MIB,
      bytes: 600 * MIB,
      segments: 10,
      retained_segments: 2,
      oldest: '2026-11-20T12:00:00.000Z',
      accounts: [
        { account: 'project:quiet', used: MIB, limit: 52 * MIB },
        { account: 'project:\u001b[2Jloud', used: 50 * MIB, limit: null },
      ],
    };
    writeFileSync(path.join(root, 'pdp-1', 'retention.json'), JSON.stringify(state));
    const { stdout } = await tenure('retention', '--dir', root);
    expect(stdout.split('\n')).toEqual([
      'pdp-1: 600.0 MiB of 8192.0 MiB in 10 segments, at 2026-11-22T12:00:00.000Z',
      '  kept for 14.0 days; the oldest record is of 2026-11-20T12:00:00.000Z',
      '  a day: 300.0 MiB; 14.0 days of that need 4200.0 MiB',
      '  free on the disk: 9000.0 MiB; reserve: 819.0 MiB',
      '  2 old segments wait for a receiver',
      '  share of a project: 52.0 MiB a day',
      expect.stringMatching(/^ {2}project:[ -~]*loud: 50\.0 MiB of no limit$/u),
      '  project:quiet: 1.0 MiB of 52.0 MiB a day',
      '',
    ]);
    const { stdout: json } = await tenure('retention', '--dir', root, '--json');
    expect(JSON.parse(json)).toMatchObject({
      instances: [{ instance: 'pdp-1', bytes_per_day: 300 * MIB }],
    });
  });
});
