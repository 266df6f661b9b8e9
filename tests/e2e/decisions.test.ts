import { readdirSync, readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Pool } from 'undici';
import { availableNode, type FleetNode, imported } from '../support/fleet.js';
import { ask } from '../support/http-client.js';
import { inProject, newProject, systemAdmin } from '../support/personas.js';
import { partPid, startTenure, type Tenure } from '../support/tenure.js';
import { eventually } from '../support/wait.js';

// Decisions, read back by the command line, on a Tenure that gives no answer before the decision is logged.

const project = newProject('decisions');
const reader = inProject(project, 'reader');
const stranger = inProject(newProject('decisions'), 'admin');

let tenure: Tenure;
let node: FleetNode;

beforeAll(async () => {
  tenure = await startTenure('decisions', {
    PDP_DECISION_LOG_SEGMENT_BYTES: '262144',
    PDP_INSTANCE: 'pdp-test',
  });
  node = await imported(tenure, availableNode('decided', { owner: project }));
});

afterAll(() => tenure.stop());

const logDir = (): string => path.join(tenure.dataDir, 'decisions', 'pdp-test');

const everythingLogged = (): string =>
  readdirSync(logDir())
    .map((name) => readFileSync(path.join(logDir(), name), 'utf8'))
    .join('');

const jsonOf = async (...args: readonly string[]): Promise<Readonly<Record<string, unknown>>> =>
  JSON.parse(await tenure.cli('decisions', ...args, '--json')) as Readonly<Record<string, unknown>>; // one document

async function refused(): Promise<{ readonly decision: string; readonly request: string }> {
  const answer = await ask(tenure, reader, `PUT /v1/nodes/${node.uuid}/states/power`, {
    body: { target: 'power on' },
  });
  expect(answer.status).toBe(403);
  return {
    decision: String(answer.headers['x-tenure-decision-id']),
    request: String(answer.headers['x-openstack-request-id']),
  };
}

describe('a refusal', () => {
  it('is logged with the caller, the action and the resource, and with no token', async () => {
    const { decision, request } = await refused();
    const record = await jsonOf('show', decision);
    expect(record).toMatchObject({
      decision_id: decision,
      req_id: request,
      input: {
        action: 'baremetal:node:set_power_state',
        subject: { user_id: reader.user, project_id: project, roles: ['reader'] },
        resource: { type: 'node', id: node.uuid, owner: project, lessee: null },
      },
      result: { allow: false, visible: true, reason: 'not_granted', grants: [] },
      bundles: { tenure: { revision: expect.stringMatching(/^sha256:[0-9a-f]{64}$/u) } },
    });
    expect(everythingLogged()).not.toContain(await tenure.token(reader));
  });

  it('is explained by what was missing, as the policy in service sees it', async () => {
    const { decision } = await refused();
    expect(await jsonOf('why', decision)).toMatchObject({
      same_policy: true,
      allow: false,
      nearest_misses: [
        { grant: 'owner_member', missing: [{ fact: 'role', has: ['reader'], needs: 'member' }] },
        expect.anything(),
        expect.anything(),
        expect.anything(),
      ],
    });
  });

  it('is found by its caller and by its resource', async () => {
    const { decision } = await refused();
    for (const filter of [
      ['--user', reader.user, '--denied', '--since', '5m'],
      ['--node', node.uuid, '--action', 'baremetal:node:set_power_state'],
    ]) {
      const { decisions } = await jsonOf('search', ...filter);
      expect(decisions).toContainEqual(expect.objectContaining({ decision_id: decision }));
    }
  });

  it('about an invisible resource is logged, though the caller gets a 404', async () => {
    const answer = await ask(tenure, stranger, `GET /v1/nodes/${node.uuid}`);
    expect(answer.status).toBe(404);
    expect(await jsonOf('show', String(answer.headers['x-tenure-decision-id']))).toMatchObject({
      input: { resource: { id: node.uuid } },
      result: { visible: false, reason: 'not_visible' },
    });
  });
});

describe('the record', () => {
  it('holds every answer that was given before the decision point was killed', async () => {
    const pid = await partPid(tenure, 'pdp');
    const given: string[] = [];
    const asking = Array.from({ length: 8 }, async () => {
      for (let round = 0; round < 50; round += 1) {
        const { status, headers } = await ask(tenure, reader, `GET /v1/nodes/${node.uuid}`);
        if (status === 200) given.push(String(headers['x-tenure-decision-id']));
      }
    });
    await eventually(
      () => Promise.resolve(given.length),
      (count) => count > 40,
      { what: 'answers' },
    );
    process.kill(pid, 'SIGKILL');
    await Promise.all(asking);
    await partPid(tenure, 'pdp', pid);
    const logged = everythingLogged();
    expect(given.filter((id) => !logged.includes(id))).toEqual([]);
    expect(await jsonOf('verify')).toMatchObject({ ok: true, findings: [] });
  });

  it('is worth more than an answer: what cannot be recorded is refused, until it can be again', async () => {
    const away = `${logDir()}-away`;
    const statusNow = async (): Promise<number> =>
      (await ask(tenure, systemAdmin, `GET /v1/nodes/${node.uuid}`)).status;
    renameSync(logDir(), away);
    try {
      // The open file takes what fits; the next one cannot be made.
      await eventually(statusNow, (status) => status === 503, { what: 'refusal', within: 30_000 });
      expect(await statusNow()).toBe(503);
    } finally {
      renameSync(away, logDir());
    }
    await eventually(statusNow, (status) => status === 200, { what: 'answer' });
    expect(await jsonOf('verify')).toMatchObject({ ok: true, findings: [] });
  });
});

const QUESTIONS = 100_000;
const AT_ONCE = 50;

const manyQuestions = (start: number): object =>
  Object.fromEntries(
    Array.from({ length: AT_ONCE }, (_, at) => {
      const number = start + at;
      return [
        String(at),
        {
          action: ['baremetal:node:get', 'baremetal:node:update', 'baremetal:node:list'][
            number % 3
          ],
          subject: {
            user_id: `u-${number % 7}`,
            project_id: number % 5 === 0 ? null : `p-${number % 4}`,
            system_scope: number % 5 === 0 ? 'all' : null,
            domain_id: null,
            roles: [['admin', 'member', 'reader', 'service'][number % 4]],
          },
          resource: {
            type: number % 3 === 2 ? 'none' : 'node',
            id: `n-${number % 100}`,
            owner: `p-${number % 3}`,
            lessee: number % 2 === 0 ? `p-${number % 6}` : null,
            tenancy_revision: 1,
          },
          ...(number % 3 === 1 && { fields: ['/extra/a', '/driver_info'] }),
          now: '2026-11-21T06:00:00Z',
        },
      ];
    }),
  );

describe('a replay', () => {
  it('of a hundred thousand questions to the policy that decided them finds no difference', async () => {
    const http = new Pool(`http://127.0.0.1:${String(tenure.ports.pdp)}`, { connections: 4 });
    const starts = Array.from({ length: QUESTIONS / AT_ONCE }, (_, at) => at * AT_ONCE);
    const asking = Array.from({ length: 4 }, async () => {
      for (let start = starts.pop(); start !== undefined; start = starts.pop()) {
        const { statusCode, body } = await http.request({
          method: 'POST',
          path: '/v1/batch/data/tenure/authz/decision',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ inputs: manyQuestions(start) }),
        });
        await body.dump();
        expect(statusCode).toBe(200);
      }
    });
    await Promise.all(asking);
    await http.close();
    const report = await jsonOf('replay');
    expect(report).toMatchObject({ skipped: 0, newly_allowed: [], newly_denied: [], changed: [] });
    expect(report['replayed']).toBeGreaterThanOrEqual(QUESTIONS);
  }, 240_000);
});
