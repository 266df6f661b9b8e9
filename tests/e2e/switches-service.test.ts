import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { availableNode, type FleetNode, nodeOf } from '../support/fleet.js';
import { type Answer, askLatest } from '../support/http-client.js';
import { newMac, type Part, portgroupOn, portOn } from '../support/node-parts.js';
import { replaces } from '../support/patch.js';
import {
  inProject,
  inProjectCalled,
  inProjectOfDomain,
  inSystem,
  newProject,
  type Persona,
} from '../support/personas.js';
import { startTenure, type Tenure } from '../support/tenure.js';

const OWNER = newProject('fleet');
const SERVICES = newProject('services');

const SERVICE_IDS = newProject('services-by-id');

const everywhere = [['in the service project', inProjectCalled(SERVICES, 'service')]] as const;
const ofTheSystem = inSystem('service');
const ofTheOwner = inProject(OWNER, 'service');

const ELEVATED = {
  TENURE_RBAC_SERVICE_ROLE_ELEVATED_ACCESS: 'true',
  TENURE_RBAC_SERVICE_PROJECT: SERVICES,
};

const LOOSENED = {
  TENURE_ENFORCE_SCOPE: 'false',
  TENURE_ENFORCE_NEW_DEFAULTS: 'false',
  TENURE_PROJECT_ADMIN_CAN_MANAGE_OWN_NODES: 'true',
};

interface Stage {
  readonly node: FleetNode;
  readonly port: Part;
  readonly portgroup: Part;
  readonly chassis: { readonly uuid: string };
}

function stage(): Stage {
  const node = availableNode(newProject('served'), { owner: OWNER, traits: ['CUSTOM_KEPT'] });
  return {
    node,
    port: portOn(node),
    portgroup: portgroupOn(node),
    chassis: { uuid: randomUUID() },
  };
}

async function started(settings: Readonly<Record<string, string>>) {
  const tenure = await startTenure('service', settings);
  const resources = stage();
  await tenure.importDocument({
    nodes: [resources.node],
    ports: [resources.port],
    portgroups: [resources.portgroup],
    chassis: [resources.chassis],
  });
  return { tenure, resources };
}

interface Attempt {
  readonly line: string;
  readonly body?: (resources: Stage) => unknown;
}

/** Creating and deleting, of everything that is the fleet itself. */
const NEVER: readonly Attempt[] = [
  { line: 'POST /v1/nodes', body: () => ({ driver: 'fake-hardware', name: newProject('new') }) },
  { line: 'POST /v1/nodes', body: () => ({ driver: 'fake-hardware', owner: OWNER }) },
  { line: 'DELETE /v1/nodes/{node}' },
  { line: 'POST /v1/ports', body: ({ node }) => ({ node_uuid: node.uuid, address: newMac() }) },
  { line: 'DELETE /v1/ports/{port}' },
  { line: 'POST /v1/portgroups', body: ({ node }) => ({ node_uuid: node.uuid }) },
  { line: 'DELETE /v1/portgroups/{portgroup}' },
  { line: 'PUT /v1/nodes/{node}/traits', body: () => ({ traits: ['CUSTOM_NEW'] }) },
  { line: 'PUT /v1/nodes/{node}/traits/CUSTOM_NEW' },
  { line: 'DELETE /v1/nodes/{node}/traits' },
  { line: 'DELETE /v1/nodes/{node}/traits/CUSTOM_KEPT' },
  { line: 'POST /v1/chassis', body: () => ({ description: 'new' }) },
  { line: 'DELETE /v1/chassis/{chassis}' },
];

describe.each([
  ['elevated access', ELEVATED],
  ['elevated access and every other switch at its loosest', { ...ELEVATED, ...LOOSENED }],
  ['every switch but elevated access at its loosest', LOOSENED],
])('with %s', (_, settings) => {
  let tenure: Tenure;
  let resources: Stage;

  beforeAll(async () => {
    ({ tenure, resources } = await started(settings));
  });

  afterAll(() => tenure.stop());

  const attempt = (who: Persona, { line, body }: Attempt): Promise<Answer> => {
    const ids = {
      node: resources.node.uuid,
      port: resources.port.uuid,
      portgroup: resources.portgroup.uuid,
      chassis: resources.chassis.uuid,
    };
    const filled = Object.entries(ids).reduce(
      (text, [name, uuid]) => text.replace(`{${name}}`, uuid),
      line,
    );
    return askLatest(tenure, who, filled, body?.(resources));
  };

  it.each(NEVER)('no service account may $line', async (one) => {
    for (const [, who] of everywhere)
      expect([403, 404]).toContain((await attempt(who, one)).status);
    expect((await attempt(ofTheSystem, one)).status).toBe(403);
    expect((await attempt(ofTheOwner, one)).status).toBe(403);
  });

  it('everything is still there', async () => {
    const reader = inProject(OWNER, 'reader');
    const lines = [
      `/v1/nodes/${resources.node.uuid}`,
      `/v1/ports/${resources.port.uuid}`,
      `/v1/portgroups/${resources.portgroup.uuid}`,
    ];
    const answers = await Promise.all(
      lines.map((line) => askLatest(tenure, reader, `GET ${line}`)),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(answers[0]?.json).toMatchObject({ traits: ['CUSTOM_KEPT'] });
    const system = inSystem('reader');
    const nodes = await askLatest(tenure, system, 'GET /v1/nodes');
    expect((nodes.json as { nodes: unknown[] }).nodes).toHaveLength(1);
    const chassis = await askLatest(tenure, system, 'GET /v1/chassis');
    expect((chassis.json as { chassis: unknown[] }).chassis).toHaveLength(1);
  });
});

describe('TENURE_RBAC_SERVICE_PROJECT', () => {
  let tenure: Tenure;
  let node: FleetNode;

  beforeAll(async () => {
    const { tenure: own, resources } = await started(ELEVATED);
    [tenure, node] = [own, resources.node];
  });

  afterAll(() => tenure.stop());

  const ask = (who: Persona, verb: string, body?: unknown): Promise<Answer> =>
    askLatest(tenure, who, verb.replace('{node}', `/v1/nodes/${node.uuid}`), body);

  it.each(everywhere)('lets the service role %s act on every node', async (_, who) => {
    expect((await ask(who, 'GET {node}')).status).toBe(200);
    expect((await ask(who, 'GET /v1/nodes')).text).toContain(node.uuid);
    const power = await ask(who, 'PUT {node}/states/power', { target: 'power off' });
    expect(power.status).toBe(202);
    const instance = randomUUID();
    expect((await ask(who, 'PATCH {node}', replaces('instance_uuid', instance))).status).toBe(200);
    expect(await nodeOf(tenure, node.uuid)).toMatchObject({ instance_uuid: instance });
    const released = [{ op: 'remove', path: '/instance_uuid' }];
    expect((await ask(who, 'PATCH {node}', released)).status).toBe(200);
  });

  it.each([
    [
      'the service role in the project that is so called by default',
      inProjectCalled('service', 'service'),
    ],
    ['the service role in another project', inProject(newProject('x'), 'service')],
    ['the service role in a project with that name as its id', inProject(SERVICES, 'service')],
    [
      'the service role in a project of that name in another domain',
      inProjectOfDomain('evil-domain-id', SERVICES, 'service'),
    ],
    ['a member of the service project', inProjectCalled(SERVICES, 'member')],
    ['an admin of the service project', inProjectCalled(SERVICES, 'admin')],
  ])('gives nothing to %s', async (_, who) => {
    expect((await ask(who, 'GET {node}')).status).toBe(404);
    expect((await ask(who, 'PUT {node}/states/power', { target: 'power on' })).status).toBe(404);
    const list = await ask(who, 'GET /v1/nodes');
    expect([list.status, list.json]).toMatchObject([200, { nodes: [] }]);
  });

  it('lets nobody change the owner', async () => {
    for (const [, who] of everywhere)
      expect((await ask(who, 'PATCH {node}', replaces('owner', SERVICES))).status).toBe(403);
    expect((await ask(ofTheSystem, 'PATCH {node}', replaces('owner', null))).status).toBe(403);
  });
});

describe.each([
  [
    'TENURE_RBAC_SERVICE_PROJECT_DOMAIN',
    { ...ELEVATED, TENURE_RBAC_SERVICE_PROJECT_DOMAIN: 'services-domain' },
    inProjectOfDomain('services-domain', SERVICES, 'service'),
    [inProjectCalled(SERVICES, 'service')],
  ],
  [
    'TENURE_RBAC_SERVICE_PROJECT_ID',
    { ...ELEVATED, TENURE_RBAC_SERVICE_PROJECT_ID: SERVICE_IDS },
    inProject(SERVICE_IDS, 'service'),
    [inProjectCalled(SERVICES, 'service'), inProjectCalled(SERVICE_IDS, 'service')],
  ],
])('%s', (_, settings, elevated, others) => {
  let tenure: Tenure;
  let node: FleetNode;

  beforeAll(async () => {
    const { tenure: own, resources } = await started(settings);
    [tenure, node] = [own, resources.node];
  });

  afterAll(() => tenure.stop());

  const ask = (who: Persona, line: string, body?: unknown): Promise<Answer> =>
    askLatest(tenure, who, line.replace('{node}', `/v1/nodes/${node.uuid}`), body);

  it('lets the services of that project alone act on every node', async () => {
    expect((await ask(elevated, 'GET {node}')).status).toBe(200);
    expect((await ask(elevated, 'GET /v1/nodes')).text).toContain(node.uuid);
    for (const who of others) {
      expect((await ask(who, 'GET {node}')).status).toBe(404);
      expect((await ask(who, 'PATCH {node}', replaces('lessee', 'x'))).status).toBe(404);
      expect((await ask(who, 'GET /v1/nodes')).json).toMatchObject({ nodes: [] });
    }
  });
});
