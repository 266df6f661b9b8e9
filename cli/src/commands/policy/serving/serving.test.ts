import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ExitStatus } from '../../../terminal/exit-status.js';
import { type Run, runTenureIn } from '../testing/run-tenure.js';

const REVISION = `sha256:${'a'.repeat(64)}`;
const status = {
  status: 'ok',
  revision: REVISION,
  since: '2026-11-21T06:00:00.000Z',
  source: 'bundle.tar.gz',
  pinned: true,
  signed_by: 'release',
  certificate: null,
  compiler: { name: 'opa', version: '1.22.0', target: 'wasm' },
  tests: { passed: 236, failed: 0 },
  coverage: 100,
  overlays: [{ file: 'mine.yaml', sha256: 'x' }],
  switches: { in_force: {}, set: { enforce_scope: false } },
  history: [
    {
      at: '2026-11-21T06:00:00.000Z',
      outcome: 'activated',
      trigger: 'start',
      revision: REVISION,
      source: 'bundle.tar.gz',
    },
  ],
  shadow: null,
};

let answer: { status: number; body: unknown };
let seen: string[];
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString()));
  request.on('end', () => {
    const { method = '', url = '', headers } = request;
    seen.push([method, url, headers.authorization ?? '-', body].join(' ').trim());
    response.writeHead(answer.status).end(JSON.stringify(answer.body));
  });
});
let url: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`; // a listening TCP server's address is an AddressInfo
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  seen = [];
  answer = { status: 200, body: status };
});

const policy = (...args: readonly string[]): Promise<Run> =>
  runTenureIn({ PDP_ADMIN_URL: url }, 'policy', ...args);

describe('tenure policy status', () => {
  it('shows the policy in service', async () => {
    const { stdout, error } = await policy('status');
    expect(error).toBeUndefined();
    expect(stdout.split('\n').map((line) => line.trimEnd())).toEqual([
      'status       ok',
      `revision     ${REVISION}  (pinned)`,
      'since        2026-11-21T06:00:00.000Z',
      'source       bundle.tar.gz',
      'signed by    release',
      'certificate  none',
      'compiler     opa  1.22.0  wasm',
      'tests        236 passed, 0 failed, coverage 100 %',
      'overlays     mine.yaml',
      'switches     {"enforce_scope":false}',
      `history      2026-11-21T06:00:00.000Z  activated  start  ${REVISION}  bundle.tar.gz`,
      '',
    ]);
  });

  describe('of several decision points', () => {
    const other = `sha256:${'b'.repeat(64)}`;
    const mine = { instance: 'pdp-0', revision: REVISION, pinned: true, since: 'S', status: 'ok' };
    const agreement = {
      state: 'ok',
      desired: { generation: 3, pinned: REVISION, at: 'T', by: 'pdp-2' },
    };
    const replicaLines = (stdout: string): readonly string[] => {
      const lines = stdout.split('\n').map((line) => line.trimEnd());
      const at = lines.findIndex((line) => line.startsWith('replicas'));
      const end = lines.findIndex((line) => line.startsWith('history'));
      return lines.slice(at, end);
    };

    it('shows each, and the revision that they are to have', async () => {
      answer.body = {
        ...status,
        replicas: [mine, { ...mine, instance: 'pdp-1' }],
        agreement,
      };
      const { stdout, error } = await policy('status');
      expect(error).toBeUndefined();
      expect(replicaLines(stdout)).toEqual([
        `replicas     pdp-0  ok  ${REVISION}  (pinned)  S`,
        `             pdp-1  ok  ${REVISION}  (pinned)  S`,
        `             desired: ${REVISION}  T  at pdp-2`,
      ]);
    });

    it.each([
      ['one serves another policy', { revision: other }, agreement],
      ['one is degraded', { status: 'degraded', reason: 'owners do not see' }, agreement],
      ['they cannot be reached', {}, { state: 'away', desired: null }],
    ])('ends with 1 when %s', async (_what, changes, agreed) => {
      const replicas = [mine, { ...mine, instance: 'pdp-1', ...changes }];
      answer.body = { ...status, replicas, agreement: agreed };
      expect((await policy('status')).error).toEqual(new ExitStatus(1));
    });
  });

  it('is one document with --json', async () => {
    const { stdout } = await policy('status', '--json');
    expect(JSON.parse(stdout)).toEqual(status);
  });

  it('ends with 1 when the decision point is degraded', async () => {
    answer.body = { ...status, status: 'degraded', reason: 'bad', failing_case: 'owners see' };
    const { stdout, error } = await policy('status');
    expect(stdout).toContain('status       degraded  bad  owners see');
    expect(error).toEqual(new ExitStatus(1));
  });

  it('fails with what the decision point says when it refuses', async () => {
    answer = { status: 401, body: { title: 'Unauthorized', detail: 'A token is required.' } };
    const { error } = await policy('status');
    expect(error).toEqual(new Error('A token is required.'));
  });

  it('fails when nobody answers', async () => {
    const { error } = await policy('status', '--url', 'http://127.0.0.1:1');
    expect(error).toEqual(new Error('no answer from http://127.0.0.1:1'));
  });
});

describe('tenure policy rollback and reload', () => {
  it('send the order to the decision point, with a token', async () => {
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'tenure-serving-')), 'token');
    writeFileSync(file, 'the-token\n');
    answer.body = { outcome: 'activated', revision: REVISION };
    const { stdout, error } = await policy('rollback', REVISION, '--token-file', file);
    expect([stdout, error]).toEqual([`activated\nin service: ${REVISION}\n`, undefined]);
    await policy('reload');
    expect(seen).toEqual([
      `POST /v1/policy/rollback Bearer the-token {"revision":"${REVISION}"}`,
      'POST /v1/policy/bundle/reload -',
    ]);
  });

  it.each([
    ['notified', 'the other decision points are notified'],
    ['not notified', 'the other decision points could not be notified yet; they will be'],
  ])('say whether the others are %s', async (peers, message) => {
    answer.body = { outcome: 'activated', revision: REVISION, peers };
    const { stdout, error } = await policy('rollback', REVISION);
    expect([stdout, error]).toEqual([
      `activated\nin service: ${REVISION}\n${message}\n`,
      undefined,
    ]);
  });

  it.each([404, 422, 502])('end with 1 when it says %d, and why', async (code) => {
    answer = { status: code, body: { outcome: 'refused', revision: REVISION, reason: 'bad' } };
    const { stdout, error } = await policy('reload');
    expect(stdout).toBe(`refused: bad\nin service: ${REVISION}\n`);
    expect(error).toEqual(new ExitStatus(1));
  });

  it('fail when the answer is of somebody else', async () => {
    answer = { status: 404, body: { title: 'Not Found' } };
    expect((await policy('reload')).error).toEqual(new Error('Not Found'));
  });
});
