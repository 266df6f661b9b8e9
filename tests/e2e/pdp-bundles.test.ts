import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { cleanEnvironment, root } from '../support/paths.js';
import { isRunning, signal } from '../support/processes.js';
import { eventually, sleep } from '../support/wait.js';
import { serveBundle } from './bundles/bundle-server.js';
import {
  changeBundle,
  type DecisionPoint,
  newFolder,
  productBundle,
  startDecisionPoint,
} from './bundles/decision-point.js';

const run = promisify(execFile);

const question = (action: string, role: string, user = 'u') => ({
  action,
  subject: { user_id: user, project_id: 'p', system_scope: null, domain_id: null, roles: [role] },
  resource: { type: 'node', owner: 'p', lessee: null, tenancy_revision: 1 },
  now: '2026-11-21T06:00:00Z',
});
const power = question('baremetal:node:set_power_state', 'member');
/** In bundle B the owner's members do not switch power. */
const B = {
  grants: { 'baremetal:node:set_power_state': ['system_member'] },
  golden: ['the owner’s reader sees the node'],
};

let folder: string;
let shared: string;
let bundleB: string;
const running: DecisionPoint[] = [];

async function startPdp(env: Record<string, string>): Promise<DecisionPoint> {
  const point = await startDecisionPoint(folder, env);
  running.push(point);
  return point;
}
function put(from: string, to: string): void {
  copyFileSync(from, `${to}.part`);
  renameSync(`${to}.part`, to);
}
const allowOf = (body: Readonly<Record<string, unknown>>): unknown =>
  (body['result'] as Record<string, unknown> | undefined)?.['allow'];
const revisionOf = (body: Readonly<Record<string, unknown>>): unknown =>
  (body['result'] as Record<string, unknown> | undefined)?.['revision'];

beforeAll(async () => {
  shared = newFolder();
  bundleB = path.join(shared, 'b.tar.gz');
  await changeBundle(bundleB, B);
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((point) => point.stop()));
});

describe('a swap under load', () => {
  it('loses no request and mixes no answers', async () => {
    folder = newFolder();
    const bundle = path.join(folder, 'bundle.tar.gz');
    put(productBundle, bundle);
    const point = await startPdp({ PDP_BUNDLE: bundle, PDP_DECISION_LOG: 'none' });
    const revisions = new Map<unknown, Set<unknown>>();
    const failures: unknown[] = [];
    const stopping = new AbortController();
    const caller = async (): Promise<void> => {
      while (!stopping.signal.aborted) {
        const { status, body } = await point.decide(power);
        if (status !== 200) failures.push(body);
        const seen = revisions.get(revisionOf(body)) ?? new Set();
        revisions.set(revisionOf(body), seen.add(allowOf(body)));
      }
    };
    const callers = Array.from({ length: 4 }, caller);
    const revisionA = await point.revision();
    for (let round = 0; round < 4; round += 1) {
      const before = await point.revision();
      put(round % 2 === 0 ? bundleB : productBundle, bundle);
      if (round === 0) signal(point.pid, 'SIGHUP');
      await eventually(point.revision, (now) => now !== before);
    }
    stopping.abort();
    await Promise.all(callers);
    expect(failures).toEqual([]);
    expect(revisions.size).toBe(2);
    expect([...(revisions.get(revisionA) ?? [])]).toEqual([true]);
    revisions.delete(revisionA);
    expect([...revisions.values()].map((seen) => [...seen])).toEqual([[false]]);
  });
});

describe('a bundle that is not good', () => {
  it('stays out, is reported with its failing case, and the old one goes on', async () => {
    folder = newFolder();
    const bundle = path.join(folder, 'bundle.tar.gz');
    put(productBundle, bundle);
    const point = await startPdp({ PDP_BUNDLE: bundle, PDP_DECISION_LOG: 'none' });
    expect(await point.admin('GET /readyz')).toEqual({ status: 200, body: { status: 'ok' } });
    const before = await point.revision();
    // The table of B with the golden decisions of A.
    await changeBundle(bundle, { grants: B.grants });
    const degraded = await eventually(
      () => point.admin('GET /readyz'),
      ({ body }) => body['status'] !== 'ok',
    );
    expect(degraded).toEqual({
      status: 200,
      body: {
        status: 'degraded',
        reason:
          'the golden decision "the owner’s member switches power" does not hold: allow is false',
        failing_case: 'the owner’s member switches power',
      },
    });
    expect(await point.revision()).toBe(before);
    expect(allowOf((await point.decide(power)).body)).toBe(true);
    const [status, text] = await point.cli('status');
    expect(status).toBe(1);
    expect(text).toMatch(/^status +degraded .*the owner’s member switches power/u);
    expect(await point.admin('POST /v1/policy/bundle/reload')).toMatchObject({
      status: 422,
      body: { outcome: 'refused', revision: before },
    });
    put(productBundle, bundle);
    await eventually(
      () => point.admin('GET /readyz'),
      ({ body }) => body['status'] === 'ok',
    );
  });

  it('is one without the signature of a pinned key, once there is one', async () => {
    folder = newFolder();
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const file = (name: string, text: string | Buffer): string => {
      writeFileSync(path.join(folder, name), text);
      return path.join(folder, name);
    };
    const pem = { type: 'pkcs8', format: 'pem' } as const;
    const own = file('own.key', privateKey.export(pem));
    const foreign = file('foreign.key', other.privateKey.export(pem));
    const pinned = file('release.pem', publicKey.export({ type: 'spki', format: 'pem' }));
    const bundle = path.join(folder, 'bundle.tar.gz');
    await changeBundle(bundle, { sign: ['release', own] });
    const point = await startPdp({
      PDP_BUNDLE: bundle,
      PDP_BUNDLE_KEYS: `release=${pinned}`,
      PDP_DECISION_LOG: 'none',
      PDP_RELOAD_POLL_MS: '0',
    });
    const before = await point.revision();
    expect((await point.admin('GET /v1/policy/status')).body).toMatchObject({
      signed_by: 'release',
      compiler: { name: 'opa' },
      tests: { failed: 0 },
      coverage: 100,
    });
    const refusal = async (): Promise<unknown> =>
      (await point.admin('POST /v1/policy/bundle/reload')).body['reason'];
    put(bundleB, bundle);
    expect(await refusal()).toContain('it has no .signatures.json');
    await changeBundle(bundle, { ...B, sign: ['release', foreign] });
    expect(await refusal()).toContain('it was not made with the key release');
    await changeBundle(bundle, { ...B, sign: ['other', own] });
    expect(await refusal()).toContain('a key that is not pinned');
    expect(await point.revision()).toBe(before);
    await changeBundle(bundle, { ...B, sign: ['release', own] });
    expect(await refusal()).toBeUndefined();
    expect(allowOf((await point.decide(power)).body)).toBe(false);
  });
});

describe('a rollback', () => {
  it('puts an earlier policy back until somebody reloads, over a restart', async () => {
    folder = newFolder();
    const bundle = path.join(folder, 'bundle.tar.gz');
    put(productBundle, bundle);
    const env = { PDP_BUNDLE: bundle, TENURE_DATA_DIR: folder };
    const first = await startPdp(env);
    const revisionA = await first.revision();
    put(bundleB, bundle);
    await eventually(first.revision, (now) => now !== revisionA);
    const [rolled] = await first.cli('rollback', revisionA);
    expect([rolled, await first.revision()]).toEqual([0, revisionA]);
    expect(allowOf((await first.decide(power)).body)).toBe(true);
    // Later changes of the source are not applied.
    await changeBundle(bundle, { ...B, golden: [B.golden[0], 'a token of a domain sees no node'] });
    await sleep(300);
    expect(await first.revision()).toBe(revisionA);
    expect((await first.cli('rollback', `sha256:${'0'.repeat(64)}`))[0]).toBe(1);
    await first.stop();
    const second = await startPdp(env);
    expect(await second.revision()).toBe(revisionA);
    const { body } = await second.admin('GET /v1/policy/status');
    expect(body).toMatchObject({ status: 'ok', pinned: true, source: 'history' });
    expect((body['history'] as readonly object[]).slice(0, 3)).toMatchObject([
      { outcome: 'activated', trigger: 'rollback', revision: revisionA },
      { outcome: 'activated', trigger: 'poll' },
      { outcome: 'activated', trigger: 'start', revision: revisionA },
    ]);
    const [reloaded, text] = await second.cli('reload', '--json');
    expect([reloaded, JSON.parse(text)]).toMatchObject([0, { outcome: 'activated' }]);
    expect((await second.admin('GET /v1/policy/status')).body).toMatchObject({ pinned: false });
  });
});

describe('a bundle on a web server', () => {
  it('is followed by its ETag, and not needed for a restart', async () => {
    folder = newFolder();
    const bundle = path.join(folder, 'bundle.tar.gz');
    put(productBundle, bundle);
    const tokenFile = path.join(folder, 'token');
    writeFileSync(tokenFile, 'a-bundle-token\n');
    const server = await serveBundle(bundle, 'a-bundle-token');
    const env = {
      PDP_BUNDLE_URL: server.url,
      PDP_BUNDLE_TOKEN_FILE: tokenFile,
      TENURE_DATA_DIR: folder,
    };
    const first = await startPdp(env);
    const revisionA = await first.revision();
    await eventually(
      () => server.answered.get(304) ?? 0,
      (times) => times >= 3,
    );
    expect(server.answered.get(200)).toBe(1);
    put(bundleB, bundle);
    const revisionB = await eventually(first.revision, (now) => now !== revisionA);
    await first.stop();
    await server.stop();
    const second = await startPdp(env);
    expect(await second.revision()).toBe(revisionB);
    expect(await second.admin('GET /readyz')).toMatchObject({
      status: 200,
      body: { status: 'degraded', reason: expect.stringContaining('no bundle from') },
    });
    const again = await serveBundle(bundle, 'a-bundle-token', Number(new URL(server.url).port));
    await eventually(
      () => second.admin('GET /readyz'),
      ({ body }) => body['status'] === 'ok',
    );
    expect(readFileSync(second.logFile, 'utf8')).not.toContain('a-bundle-token');
    await again.stop();
  });
});

describe('a shadow', () => {
  it('is evaluated after the answers, and differences are logged', async () => {
    folder = newFolder();
    const point = await startPdp({
      PDP_BUNDLE: productBundle,
      PDP_SHADOW_BUNDLE: bundleB,
      PDP_DECISION_LOG: 'none',
    });
    await eventually(
      () => point.admin('GET /v1/policy/shadow'),
      ({ body }) => body['state'] === 'active',
    );
    const { body } = await point.decide(power);
    expect(allowOf(body)).toBe(true);
    await point.decide(question('baremetal:node:get', 'reader'));
    const shadow = await eventually(
      () => point.admin('GET /v1/policy/shadow'),
      (answer) => answer.body['evaluated'] === 2,
    );
    expect(shadow.body).toMatchObject({
      differences: { newly_denied: 1 },
      samples: [
        {
          decisionId: body['decision_id'],
          action: 'baremetal:node:set_power_state',
          difference: 'newly_denied',
        },
      ],
    });
  });
});

describe('a rule that loops', () => {
  it('is stopped, and nobody else waits long or is refused', async () => {
    folder = newFolder();
    const rego = path.join(folder, 'loop.rego');
    writeFileSync(
      rego,
      `# METADATA
# schemas:
#   - input: schema.question
package tenure.custom

overridden := {"baremetal:node:set_power_state"}

granted("baremetal:node:set_power_state", view) if {
	view.user_id == "looper"
	some a in numbers.range(1, 100000)
	some b in numbers.range(1, 100000)
	a * b == 17
	a == b
}
`,
    );
    const bundle = path.join(folder, 'loop.tar.gz');
    await run(path.join(root, 'scripts', 'policy', 'build.sh'), {
      env: { ...cleanEnvironment(), OVERLAY: rego, OUT: bundle },
    });
    const point = await startPdp({
      PDP_BUNDLE: bundle,
      PDP_SHADOW_BUNDLE: bundle,
      PDP_DECISION_LOG: 'none',
    });
    const loop = question('baremetal:node:set_power_state', 'member', 'looper');
    const other = question('baremetal:node:get', 'reader');
    const stopping = new AbortController();
    const loops = (async () => {
      const statuses = new Set<number>();
      for (let round = 0; round < 8; round += 1) statuses.add((await point.decide(loop)).status);
      stopping.abort();
      return statuses;
    })();
    const others = new Set<unknown>();
    while (!stopping.signal.aborted) {
      const { status, body } = await point.decide(other);
      others.add(`${status} ${String(allowOf(body))}`);
    }
    expect(await loops).toEqual(new Set([503]));
    expect([...others]).toEqual(['200 true']);
    expect(isRunning(point.pid)).toBe(true);
    expect(readFileSync(point.logFile, 'utf8')).not.toContain('the process ends');
  });
});

describe('the admin listener', () => {
  it('wants a token where there is one', async () => {
    folder = newFolder();
    const tokenFile = path.join(folder, 'admin');
    writeFileSync(tokenFile, 'an-admin-token-of-32-characters!\n');
    const point = await startPdp({
      PDP_BUNDLE: productBundle,
      PDP_DECISION_LOG: 'none',
      PDP_ADMIN_TOKEN_FILE: tokenFile,
    });
    const token = { authorization: 'Bearer an-admin-token-of-32-characters!' };
    for (const line of ['GET /v1/policy/status', 'POST /v1/policy/bundle/reload']) {
      expect((await point.admin(line)).status).toBe(401);
      expect((await point.admin(line, undefined, token)).status).toBe(200);
    }
    const foreign = { ...token, origin: 'http://evil.example' };
    expect((await point.admin('POST /v1/policy/bundle/reload', undefined, foreign)).status).toBe(
      403,
    );
    expect((await point.cli('status', '--token-file', tokenFile))[0]).toBe(0);
    expect((await point.cli('status'))[0]).toBe(2);
    expect((await point.admin('GET /readyz')).status).toBe(200);
  });
});
