import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { claimedToken } from '../support/claimed-token.js';
import { availableNode, type FleetNode } from '../support/fleet.js';
import { ask, askLatest } from '../support/http-client.js';
import { replaces } from '../support/patch.js';
import {
  inProject,
  inProjectCalled,
  inSystem,
  newProject,
  type Persona,
} from '../support/personas.js';
import { sharedTenure, startTenure, type Tenure } from '../support/tenure.js';
import { eventually } from '../support/wait.js';

const OWNER = newProject('old');
const POWER = 'baremetal:node:set_power_state';

const administrators = [
  ['baremetal_admin in the project baremetal', inProjectCalled('baremetal', 'baremetal_admin')],
  ['baremetal_admin in a project called demo', inProjectCalled('demo', 'baremetal_admin')],
  ['admin of any project', inProject(newProject('any'), 'admin')],
  ['administrator of any project', inProject(newProject('any'), 'Administrator')],
] as const;
const observers = [
  [
    'baremetal_observer in the project baremetal',
    inProjectCalled('baremetal', 'baremetal_observer'),
  ],
  ['observer in a project called demo', inProjectCalled('demo', 'observer')],
] as const;
const nobodies = [
  ['baremetal_admin in a project of the id baremetal', inProject('baremetal', 'baremetal_admin')],
  ['baremetal_admin in another project', inProject(newProject('other'), 'baremetal_admin')],
  ['baremetal_observer in another project', inProject(newProject('other'), 'baremetal_observer')],
  ['baremetal_admin on the system', inSystem('baremetal_admin')],
  ['an unscoped admin', { user: 'u', scope: 'none', roles: ['admin'] } satisfies Persona],
] as const;

const node = availableNode(newProject('old'), {
  owner: OWNER,
  driver_info: { redfish_address: 'https://192.0.2.4' },
});
const allocation = {
  uuid: randomUUID(),
  owner: OWNER,
  state: 'error',
  resource_class: 'nothing-of-the-kind',
};

async function statusesOf(
  tenure: Tenure,
  who: Persona,
  requests: readonly (readonly [string, unknown?])[],
): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (const [line, body] of requests) {
    const { status } = await eventually(
      () => askLatest(tenure, who, line, body),
      // A change of the owner begins a handover, which locks the node for a moment.
      (answer) => answer.status !== 409,
      { within: 20_000, what: `${line} without a lock` },
    );
    statuses.push(status);
  }
  return statuses;
}

async function removable(tenure: Tenure): Promise<FleetNode> {
  const made = availableNode(newProject('old'), { owner: OWNER });
  await tenure.importDocument({ nodes: [made] });
  return made;
}

const requestsAbout = (uuid: string): readonly (readonly [string, unknown?])[] => [
  ['GET /v1/nodes'],
  [`GET /v1/nodes/${uuid}`],
  [`PUT /v1/nodes/${uuid}/maintenance`, {}],
  [`PATCH /v1/nodes/${uuid}`, replaces('owner', 'somebody-else')],
  ['POST /v1/nodes', { driver: 'fake-hardware', name: newProject('old') }],
  [`DELETE /v1/nodes/${uuid}`],
];

describe('TENURE_ENFORCE_NEW_DEFAULTS=false', () => {
  let tenure: Tenure;

  beforeAll(async () => {
    tenure = await startTenure('deprecated', { TENURE_ENFORCE_NEW_DEFAULTS: 'false' });
    await tenure.importDocument({ nodes: [node], allocations: [allocation] });
  });

  afterAll(() => tenure.stop());

  it.each(administrators)('makes %s an administrator of everything', async (_, who) => {
    const { uuid } = await removable(tenure);
    expect(await statusesOf(tenure, who, requestsAbout(uuid))).toEqual([
      200, 200, 202, 200, 201, 204,
    ]);
    const list = await askLatest(tenure, who, 'GET /v1/nodes');
    expect(list.headers['x-tenure-policy-filter']).toBe('all');
    const view = await askLatest(tenure, who, `GET /v1/nodes/${node.uuid}`);
    expect(view.json).toMatchObject({ driver_info: { redfish_address: 'https://192.0.2.4' } });
  });

  it.each(observers)('lets %s look at everything, and change nothing', async (_, who) => {
    expect(await statusesOf(tenure, who, requestsAbout(node.uuid))).toEqual([
      200, 200, 403, 403, 403, 403,
    ]);
    const list = await askLatest(tenure, who, 'GET /v1/nodes');
    expect(list.text).toContain(node.uuid);
    expect((await askLatest(tenure, who, 'GET /v1/conductors')).status).toBe(200);
  });

  it.each(nobodies)('gives nothing to %s', async (_, who) => {
    expect(await statusesOf(tenure, who, requestsAbout(node.uuid))).toEqual([
      403, 404, 404, 404, 403, 404,
    ]);
  });

  it('shows allocations of every project with a token of the admin project only', async () => {
    const allocationsFor = async (claims: object): Promise<boolean> => {
      const token = claimedToken(tenure, { roles: ['admin'], project_id: 'main', ...claims });
      const headers = { 'X-Auth-Token': token };
      const answer = await ask(tenure, null, 'GET /v1/allocations', { headers });
      expect(answer.status).toBe(200);
      return answer.text.includes(allocation.uuid);
    };
    expect(await allocationsFor({ is_admin_project: true })).toBe(true);
    expect(await allocationsFor({ is_admin_project: false })).toBe(false);
    expect(await allocationsFor({})).toBe(false);
  });
});

interface Warning {
  readonly msg?: string;
  readonly action?: string;
  readonly deprecated?: readonly string[];
}

const warningsIn = (tenure: Tenure): readonly Warning[] =>
  tenure
    .log()
    .split('\n')
    .filter((line) => line.includes('deprecated rule used'))
    .map((line) => JSON.parse(line) as Warning); // the lines of a part's log are JSON

describe('what still needs a deprecated rule', () => {
  const statuses: number[] = [];
  let tenure: Tenure;

  beforeAll(async () => {
    tenure = await startTenure('deprecated-log', { TENURE_ENFORCE_NEW_DEFAULTS: 'false' });
    await tenure.importDocument({ nodes: [node] });
    const power: readonly [string, unknown] = [
      `PUT /v1/nodes/${node.uuid}/states/power`,
      { target: 'power off' },
    ];
    const byOldRules = [administrators[0][1], administrators[2][1], administrators[0][1]];
    // and by the rules of today, with no need of deprecated ones
    const today = [inProject(OWNER, 'member'), inProject(OWNER, 'admin'), inSystem('admin')];
    for (const who of [...byOldRules, ...today])
      statuses.push(...(await statusesOf(tenure, who, [power])));
    statuses.push(...(await statusesOf(tenure, observers[0][1], [['GET /v1/nodes']])));
  });

  afterAll(() => tenure.stop());

  it('is allowed', () => {
    expect(statuses).toEqual([202, 202, 202, 202, 202, 202, 200]);
  });

  it('is warned of once each in the log of the decision point, with what replaces it', async () => {
    const warnings = await eventually(
      () => warningsIn(tenure),
      (found) => found.length >= 3,
      { what: 'three warnings' },
    );
    const newPower = ['system_member', 'nova_service', 'owner_member', 'lessee_member'];
    const members = ['level', 'name', 'action', 'deprecated', 'replaced_by', 'uses'];
    expect(
      warnings.map((warning) =>
        Object.fromEntries(Object.entries(warning).filter(([name]) => members.includes(name))),
      ),
    ).toEqual([
      {
        level: 'warn',
        name: 'pdp',
        action: POWER,
        deprecated: ['legacy_baremetal_admin'],
        replaced_by: newPower,
        uses: 1,
      },
      {
        level: 'warn',
        name: 'pdp',
        action: POWER,
        deprecated: ['legacy_admin'],
        replaced_by: newPower,
        uses: 1,
      },
      {
        level: 'warn',
        name: 'pdp',
        action: 'baremetal:node:list',
        deprecated: ['legacy_observer'],
        replaced_by: ['system_reader', 'nova_service'],
        uses: 1,
      },
    ]);
  });

  it('is counted at every use', async () => {
    const port = String(tenure.env['PDP_ADMIN_PORT']);
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const counted = metrics
      .split('\n')
      .filter((line) => line.startsWith('tenure_pdp_deprecated_rules_total{'));
    expect(counted.toSorted()).toEqual([
      'tenure_pdp_deprecated_rules_total{action="baremetal:node:list",grant="legacy_observer",part="pdp"} 1',
      `tenure_pdp_deprecated_rules_total{action="${POWER}",grant="legacy_admin",part="pdp"} 1`,
      `tenure_pdp_deprecated_rules_total{action="${POWER}",grant="legacy_baremetal_admin",part="pdp"} 2`,
    ]);
  });
});

describe('with the new defaults', () => {
  let tenure: Tenure;

  beforeAll(async () => {
    tenure = await sharedTenure();
    await tenure.importDocument({ nodes: [node] });
  });

  it.each([...administrators.slice(0, 2), ...observers, ...nobodies])(
    '%s is nobody',
    async (_, who) => {
      expect(await statusesOf(tenure, who, requestsAbout(node.uuid))).toEqual([
        403, 404, 404, 404, 403, 404,
      ]);
    },
  );

  it('an admin of a project reaches what the project owns or leases, and nothing else', async () => {
    const who = inProject(newProject('any'), 'admin');
    expect(await statusesOf(tenure, who, requestsAbout(node.uuid))).toEqual([
      200, 404, 404, 404, 403, 404,
    ]);
    const list = await askLatest(tenure, who, 'GET /v1/nodes');
    expect([list.headers['x-tenure-policy-filter'], list.json]).toMatchObject([
      'owner,lessee',
      { nodes: [] },
    ]);
  });

  it('a deprecated rule is warned of no more', () => {
    expect(warningsIn(tenure)).toEqual([]);
  });
});
