import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { availableNode, type FleetNode, imported } from '../support/fleet.js';
import { ask, faultString } from '../support/http-client.js';
import { inProject, newProject } from '../support/personas.js';
import { startTenure, type Tenure } from '../support/tenure.js';
import { eventually } from '../support/wait.js';

// One project floods the decision log: it is refused above its share, and the records of others stay.

const quietProject = newProject('audit-quiet');
const loudProject = newProject('audit-loud');
const quiet = inProject(quietProject, 'reader');
const loud = inProject(loudProject, 'reader');

/** About 40 records of 1.45 KB. */
const SHARE = 60_000;

let tenure: Tenure;
let node: FleetNode;

beforeAll(async () => {
  tenure = await startTenure('audit-retention', {
    PDP_INSTANCE: 'pdp-test',
    PDP_DECISION_LOG_SEGMENT_BYTES: '8192',
    PDP_DECISION_LOG_PROJECT_BYTES_PER_DAY: String(SHARE),
  });
  node = await imported(tenure, availableNode('audited', { owner: quietProject }));
});

afterAll(() => tenure.stop());

const jsonOf = async (...args: readonly string[]): Promise<Readonly<Record<string, unknown>>> =>
  JSON.parse(await tenure.cli(...args, '--json')) as Readonly<Record<string, unknown>>; // one document

async function quietDecision(): Promise<string> {
  const answer = await ask(tenure, quiet, `GET /v1/nodes/${node.uuid}`);
  expect(answer.status).toBe(200);
  return String(answer.headers['x-tenure-decision-id']);
}

describe('a project that floods the decision log', () => {
  it('is refused with the API’s error, while the records of another stay and it continues', async () => {
    const before = await quietDecision();
    let allowed = 0;
    let refused = 0;
    for (let n = 0; n < 120; n += 1) {
      const answer = await ask(tenure, loud, 'GET /v1/nodes');
      if (answer.status === 200) {
        allowed += 1;
        continue;
      }
      refused += 1;
      expect(answer.status).toBe(429);
      expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/u);
      expect(faultString(answer.text)).toContain('Quota exceeded for audit_bytes_per_day');
    }
    // Records of a list are between 1 and 2 KB.
    expect(allowed).toBeGreaterThanOrEqual(SHARE / 2000);
    expect(allowed).toBeLessThanOrEqual(SHARE / 1000);
    expect(refused).toBe(120 - allowed);
    const after = await quietDecision();
    for (const id of [before, after])
      expect(await jsonOf('decisions', 'show', id)).toMatchObject({ decision_id: id });
    expect(await jsonOf('decisions', 'verify')).toMatchObject({ ok: true, findings: [] });
  }, 120_000);

  it('is listed with its usage by the command line, and its refusals are recorded', async () => {
    const accounts = async () => {
      const { instances } = await jsonOf('decisions', 'retention');
      return JSON.stringify(instances);
    };
    const named = await eventually(accounts, (text) => text.includes(`"project:${loudProject}"`), {
      what: 'the state of the log',
      within: 30_000,
    });
    expect(named).toContain(`"limit":${String(SHARE)}`);
    await eventually(
      () => tenure.cli('decisions', 'search', '--project', loudProject, '--limit', '5', '--json'),
      (text) => text.includes('over_budget'),
      { what: 'a record of refusals', within: 30_000 },
    );
  }, 90_000);

  it('continues when an operator raises its limit', async () => {
    const set = await tenure.cli('quota', 'set', loudProject, 'audit_bytes_per_day=1G');
    expect(set).toContain('1073741824');
    await eventually(
      async () => (await ask(tenure, loud, 'GET /v1/nodes')).status,
      (status) => status === 200,
      { what: 'an answer', within: 30_000 },
    );
  }, 60_000);
});
