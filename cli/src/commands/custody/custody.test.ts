import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { handoverDigest, type HandoverRecord } from '@tenure/contracts';
import { aHandover } from '@tenure/contracts/testing';
import { custodyKeyFile, loadOrCreateSigningKeys, signStatement } from '@tenure/decision-log';
import { ExitStatus } from '../../terminal/exit-status.js';
import { type Run, runTenure } from '../policy/testing/run-tenure.js';
import { ensureContextKeys } from '../up/context-keys.js';

const NODE = '00000000-0000-4000-8000-000000000001';
const SECOND = '00000000-0000-4000-8000-000000000002';
const uuidOf = (number: number): string =>
  `00000000-0000-4000-8000-${String(number + 100).padStart(12, '0')}`;

const record = (number: number, values: Partial<HandoverRecord> = {}): HandoverRecord =>
  aHandover({
    uuid: uuidOf(number),
    node_uuid: NODE,
    cause: 'lease_end',
    status: 'complete',
    to_project: null,
    decision_id: 'd-1',
    user_id: 'ann\u001b[2J',
    agent: 'agent-digest',
    steps: [
      { step: 'power_off', outcome: 'done', at: '2026-11-21T08:01:00+00:00', detail: null },
      { step: 'bios', outcome: 'unsupported', at: '2026-11-21T08:02:00+00:00', detail: 'no BIOS' },
    ],
    erased: [{ interface: 'deploy', step: 'erase_devices', outcome: 'done', reason: null }],
    put_back: { boot_mode: 'uefi', fields: ['extra'] },
    firmware: [{ component: 'bmc', current_version: '2.1' }],
    sealed: { description: 'the secret plan' },
    opened_at: `2026-11-21T0${String(number)}:00:00+00:00`,
    completed_at: `2026-11-21T0${String(number)}:05:00+00:00`,
    number,
    ...values,
  });

function signed(plain: HandoverRecord, key: KeyObject): HandoverRecord {
  const digest = handoverDigest(plain);
  const { uuid, node_uuid, previous } = plain;
  const signature = signStatement(
    {
      typ: 'handover',
      uuid,
      node_uuid,
      number: plain.number ?? 0,
      previous,
      digest,
      completed_at: plain.completed_at ?? '',
    },
    key,
  );
  return { ...plain, digest, signature };
}

interface Custody {
  readonly records: readonly unknown[];
  readonly head: { readonly count: number; readonly digest: string | null };
}

let dataDir: string;
let server: Server;
let url: string;
let key: KeyObject;
let custody: Custody;
/** The public keys as the inventory publishes them. */
let ownKeys: readonly string[];

function bodyFor(target: URL): unknown {
  if (target.pathname === '/internal/custody/keys') return { keys: ownKeys };
  const marker = target.searchParams.get('marker');
  if (target.pathname === '/internal/custody/nodes')
    return {
      nodes: [
        { uuid: NODE, name: 'n-1' },
        { uuid: SECOND, name: null },
      ],
    };
  const ident = target.pathname.split('/')[3] ?? '';
  const empty = { node: { uuid: SECOND, name: null }, head: { count: 0, digest: null } };
  if (ident === SECOND) return { ...empty, handover_uuid: null, handovers: [] };
  if (ident !== NODE && ident !== 'n-1') return undefined;
  return {
    node: { uuid: NODE, name: 'n-1' },
    head: custody.head,
    handover_uuid: null,
    handovers: marker === null ? custody.records : [],
  };
}

const tenure = (...args: readonly string[]): Promise<Run> =>
  runTenure('custody', ...args, '--inventory-url', url, '--data-dir', dataDir);

function statusOf({ error }: Run): number {
  if (error === undefined) return 0;
  return error instanceof ExitStatus ? error.status : 2;
}

beforeAll(async () => {
  server = createServer((request, response) => {
    const body = bodyFor(new URL(request.url ?? '', 'http://localhost'));
    response.statusCode = body === undefined ? 404 : 200;
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify(
        body ?? {
          type: 'about:blank',
          title: 'Not Found',
          status: 404,
          code: 'not_found',
          detail: 'Node n-9 could not be found.',
        },
      ),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`; // a listening TCP server's address
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'tenure-custody-'));
  ensureContextKeys(dataDir);
  ({ key } = loadOrCreateSigningKeys(custodyKeyFile(dataDir)));
  const first = signed(record(1), key);
  const second = signed(record(2, { previous: first.digest }), key);
  custody = { records: [first, second], head: { count: 2, digest: second.digest } };
  ownKeys = [];
});
afterEach(() => {
  rmSync(dataDir, { recursive: true });
});

function edited(change: Partial<HandoverRecord>): Custody {
  const [first, second] = custody.records as readonly HandoverRecord[];
  return { ...custody, records: [first, { ...second, ...change }] };
}

describe('tenure custody show', () => {
  it('prints who had the machine and what was done to it, and nothing that acts on the terminal', async () => {
    custody = edited({ status: 'failed', number: null, completed_at: null, reason: 'no answer' });
    const { stdout, error } = await tenure('show', 'n-1');
    expect(error).toBeUndefined();
    expect(stdout).toBe(`n-1 (${NODE}): 1 complete, 1 under way
  #1  2026-11-21T01:05:00+00:00  complete  lease_end  p-b -> (no project)
    uuid      ${uuidOf(1)}
    opened    2026-11-21T01:00:00+00:00, user ann\\u{1b}[2J, decision d-1
    owner     p-a
    agent     agent-digest
    steps     2026-11-21T08:01:00+00:00 power_off done
              2026-11-21T08:02:00+00:00 bios unsupported (no BIOS)
    erased    interface=deploy step=erase_devices outcome=done
    put back  boot_mode=uefi fields=["extra"]
    firmware  component=bmc current_version=2.1
    sealed    description
  -  2026-11-21T02:00:00+00:00  failed  lease_end  p-b -> (no project)
    uuid      ${uuidOf(2)}
    opened    2026-11-21T02:00:00+00:00, user ann\\u{1b}[2J, decision d-1
    owner     p-a
    failed    no answer
    agent     agent-digest
    steps     2026-11-21T08:01:00+00:00 power_off done
              2026-11-21T08:02:00+00:00 bios unsupported (no BIOS)
    erased    interface=deploy step=erase_devices outcome=done
    put back  boot_mode=uefi fields=["extra"]
    firmware  component=bmc current_version=2.1
    sealed    description
`);
  });

  it('prints whole records as JSON', async () => {
    const { stdout } = await tenure('show', NODE, '--json');
    expect(stdout).not.toContain('\u001b');
    expect(JSON.parse(stdout)).toEqual({
      node: { uuid: NODE, name: 'n-1' },
      head: custody.head,
      malformed: [],
      handover_uuid: null,
      handovers: custody.records,
    });
  });

  it('says that there is no such node', async () => {
    const run = await tenure('show', 'n-9');
    expect(statusOf(run)).toBe(2);
    expect(String(run.error)).toContain('Node n-9 could not be found.');
  });
});

describe('tenure custody verify', () => {
  it('takes a record for whole that is as it was written', async () => {
    const run = await tenure('verify', 'n-1');
    expect(statusOf(run)).toBe(0);
    expect(run.stdout).toBe(
      `n-1 (${NODE}): 2 handovers, as they were written; the last is 2, ${custody.head.digest ?? ''}\n`,
    );
  });

  it('names the record that was edited, and ends with 1', async () => {
    custody = edited({ to_project: 'p-x' });
    const run = await tenure('verify', 'n-1');
    expect(statusOf(run)).toBe(1);
    expect(run.stdout).toContain(
      `  edited: the record is not the one that was written, handover 2, ${uuidOf(2)}\n`,
    );
  });

  it('names a record without the form of one', async () => {
    const [first] = custody.records;
    custody = { ...custody, records: [first, { uuid: uuidOf(2), node_uuid: NODE }] };
    const run = await tenure('verify', 'n-1');
    expect(statusOf(run)).toBe(1);
    expect(run.stdout).toContain('malformed: the record does not have the form of one');
    expect(run.stdout).toContain('truncated');
  });

  it('checks every node', async () => {
    const whole = await tenure('verify', '--all', '--json');
    expect(statusOf(whole)).toBe(0);
    expect(JSON.parse(whole.stdout)).toMatchObject({
      ok: true,
      nodes: [
        { node_uuid: NODE, completed: 2, open: 0, findings: [] },
        { node_uuid: SECOND, completed: 0, findings: [] },
      ],
    });
    custody = { ...custody, records: custody.records.slice(1) };
    const broken = await tenure('verify', '--all', '--json');
    expect(statusOf(broken)).toBe(1);
    expect(JSON.parse(broken.stdout)).toMatchObject({
      ok: false,
      nodes: [{ findings: [{ kind: 'removed', number: 1 }] }, { findings: [] }],
    });
  });

  it('takes the keys of a file that is named, and no others', async () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const file = path.join(dataDir, 'other.pem');
    writeFileSync(file, publicKey.export({ type: 'spki', format: 'pem' }));
    const run = await tenure('verify', 'n-1', '--key', file);
    expect(statusOf(run)).toBe(1);
    expect(run.stdout).toContain('foreign_key');
  });

  it('says so when it has only the inventory to believe about the keys', async () => {
    const { publicKeys } = loadOrCreateSigningKeys(custodyKeyFile(dataDir));
    ownKeys = publicKeys.map((one) => one.export({ type: 'spki', format: 'pem' }).toString());
    rmSync(path.join(dataDir, 'keys', 'custody'), { recursive: true });
    const run = await tenure('verify', 'n-1');
    expect(statusOf(run)).toBe(0);
    expect(run.stderr).toContain('the public keys are those that the inventory gave');
  });

  it.each([
    ['neither a node nor --all', ['verify']],
    ['both', ['verify', 'n-1', '--all']],
    ['a key file that is not there', ['verify', 'n-1', '--key', '/nowhere/public.pem']],
    ['a node that is not there', ['verify', 'n-9']],
  ])('ends with 2 for %s', async (_, args) => {
    expect(statusOf(await tenure(...args))).toBe(2);
  });

  it('ends with 2 when a key file holds no key', async () => {
    const file = path.join(dataDir, 'empty.pem');
    mkdirSync(dataDir, { recursive: true });
    writeFileSync(file, '');
    expect(statusOf(await tenure('verify', 'n-1', '--key', file))).toBe(2);
  });
});
