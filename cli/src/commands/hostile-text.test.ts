import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aHandover } from '@tenure/contracts/testing';
import {
  createLogWriter,
  loadOrCreateSigningKeys,
  openSegments,
  signingKeyFile,
} from '@tenure/decision-log';
import { errorLines } from '../terminal/lines-error.js';
import { Printer } from '../terminal/printer.js';
import { productBundle } from './policy/testing/product-bundle.js';
import { runTenureIn } from './policy/testing/run-tenure.js';
import { ensureContextKeys } from './up/context-keys.js';

// A node whose name, owner, lessee, description and other fields contain terminal control characters.
const HOSTILE =
  'x\u0000\u0007\u001b[2J\u001b]0;t\u0007\r\u007f\u009b31m\u202e\u2066\u2028\nFORGED 2026-11-22T10:00:00.000Z allow';
const NODE = '00000000-0000-4000-8000-000000000001';

let dataDir: string;
let server: Server;
let url: string;
let bundle: string;

const account = {
  account: `project:${HOSTILE}`,
  budgets: [
    { name: HOSTILE, unit: 'bytes', checked: true, used: 1, limit: null, source: 'default' },
  ],
};
const claim = {
  kind: HOSTILE,
  id: HOSTILE,
  project_id: HOSTILE,
  in_use: true,
  used_by: [{ section: HOSTILE, uuid: HOSTILE, node_uuid: HOSTILE }],
};
const handover = {
  ...aHandover({
    uuid: HOSTILE,
    node_uuid: NODE,
    owner: HOSTILE,
    from_project: HOSTILE,
    to_project: HOSTILE,
    user_id: HOSTILE,
    agent: HOSTILE,
    reason: HOSTILE,
    erased: [{ interface: HOSTILE, step: HOSTILE, outcome: 'done', reason: HOSTILE }],
    put_back: { [HOSTILE]: HOSTILE, fields: [HOSTILE] },
    firmware: [{ component: HOSTILE, current_version: HOSTILE }],
    sealed: { [HOSTILE]: HOSTILE },
  }),
  steps: [{ step: HOSTILE, outcome: 'done', at: HOSTILE, detail: HOSTILE }],
};
const custody = {
  node: { uuid: NODE, name: HOSTILE },
  head: { count: 1, digest: HOSTILE.slice(0, 8).padEnd(43, '\u009b') },
  handover_uuid: null,
  handovers: [handover, { uuid: `malformed ${HOSTILE}` }],
};
const policyStatus = {
  status: 'ok',
  reason: HOSTILE,
  revision: HOSTILE,
  source: HOSTILE,
  signed_by: HOSTILE,
  compiler: { name: HOSTILE, version: HOSTILE, target: HOSTILE },
  overlays: [{ file: HOSTILE }],
  switches: { set: { [HOSTILE]: HOSTILE } },
  replicas: [{ instance: HOSTILE, status: 'ok', revision: HOSTILE, reason: HOSTILE }],
  shadow: { state: HOSTILE, reason: HOSTILE, differences: { [HOSTILE]: 1 } },
  history: [{ at: HOSTILE, outcome: HOSTILE, reason: HOSTILE }],
  outcome: HOSTILE,
};

const ANSWERS: readonly (readonly [RegExp, unknown])[] = [
  [/^\/internal\/quotas$/u, { accounts: [account], next: null }],
  [/^\/internal\/quotas\//u, account],
  [/^\/internal\/claims$/u, { claims: [claim], next: null }],
  [/^\/internal\/claims\//u, claim],
  [/^\/internal\/nodes\/n-1\/handovers$/u, custody],
  [/^\/internal\/tenancy\/nodes\/n-1$/u, { uuid: NODE, owner: HOSTILE, lessee: HOSTILE }],
  [/^\/v1\/policy\//u, policyStatus],
];
const refusal = {
  type: 'about:blank',
  title: 'Not Found',
  status: 404,
  code: 'not_found',
  detail: `Node ${HOSTILE} could not be found.`,
};

async function writeDecisions(): Promise<void> {
  const store = await openSegments(
    {
      dir: path.join(dataDir, 'decisions', 'pdp-1'),
      instance: 'pdp-1',
      ...loadOrCreateSigningKeys(signingKeyFile(dataDir)),
    },
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
  const record = {
    decision_id: 'd-1',
    timestamp: '2026-11-21T06:00:00.000Z',
    input: {
      action: 'baremetal:node:get',
      subject: { user_id: HOSTILE, project_id: HOSTILE, system_scope: HOSTILE, roles: [HOSTILE] },
      resource: { type: 'node', id: HOSTILE, owner: HOSTILE, lessee: HOSTILE },
      requested: { owner: HOSTILE },
    },
    result: { allow: true, reason: HOSTILE, grants: [HOSTILE], denied: [HOSTILE] },
    bundles: { tenure: { revision: HOSTILE } },
  };
  await writer.add(JSON.stringify(record).slice(1, -1));
  await writer.close();
}

beforeAll(async () => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'tenure-hostile-'));
  ensureContextKeys(dataDir);
  bundle = productBundle();
  await writeDecisions();
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://localhost');
    const body = ANSWERS.find(([pattern]) => pattern.test(pathname))?.[1];
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body ?? refusal));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`; // a listening TCP server's address
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(dataDir, { recursive: true });
});

/** The whole output of a command, including the message that `main` would print. */
async function output(args: readonly string[]): Promise<string> {
  const env = { TENURE_DATA_DIR: dataDir, PDP_ADMIN_URL: url, INVENTORY_URL: url };
  const { stdout, stderr, error } = await runTenureIn(env, ...args);
  let message = '';
  if (error !== undefined) {
    const sink = { write: (text: string) => (message += text) } as unknown as NodeJS.WritableStream; // all that is called
    new Printer(sink).lines(errorLines(error));
  }
  return `${stdout}${stderr}${message}`;
}

const inventory = (): readonly string[] => ['--inventory-url', url];
const policy = (): readonly string[] => ['--bundle', bundle];

describe('a command that prints text of other users', () => {
  it.each<readonly [string, () => readonly string[]]>([
    ['quota show p', inventory],
    ['quota show --all', inventory],
    ['quota show --all --json', inventory],
    ['claims list', inventory],
    ['claims list --json', inventory],
    ['claims show vif v-1', inventory],
    ['custody show n-1', inventory],
    ['custody show n-1 --json', inventory],
    ['custody verify n-1', inventory],
    ['custody verify n-1 --json', inventory],
    ['custody show n-9', inventory],
    ['decisions search', () => []],
    ['decisions search --json', () => []],
    ['decisions tail --no-follow', () => []],
    ['decisions tail --no-follow --json', () => []],
    ['decisions show d-1', () => []],
    ['decisions why d-1', policy],
    ['decisions replay', policy],
    ['decisions verify', () => []],
    ['policy status', () => []],
    ['policy rollback', () => []],
    [
      'policy can baremetal:node:get --project p --role member --on n-1',
      () => [...inventory(), ...policy()],
    ],
    ['policy who-can baremetal:node:get --on n-1', () => [...inventory(), ...policy()]],
    [
      'policy can baremetal:node:get --project p --role member --on n-9',
      () => [...inventory(), ...policy()],
    ],
  ])('escapes terminal control characters and line breaks: %s', async (line, more) => {
    const text = await output([...line.split(' '), ...more()]);
    expect(text).not.toBe('');
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
    expect(text).not.toMatch(/^FORGED/mu);
  });

  it.each([
    'quota show p',
    'claims list',
    'custody show n-1',
    'custody show n-9',
    'decisions search',
  ])('prints the escaped text: %s', async (line) => {
    const more = line.startsWith('decisions') ? [] : inventory();
    expect(await output([...line.split(' '), ...more])).toContain(String.raw`\u{1b}[2J`);
  });
});
