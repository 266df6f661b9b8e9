import { beforeAll, describe, expect, it } from '@jest/globals';
import { availableNode, type FleetNode, imported, nodeOf, stableNode } from '../support/fleet.js';
import { type Answer, askLatest, faultString } from '../support/http-client.js';
import { removes, replaces } from '../support/patch.js';
import { inProject, inSystem, newProject, type Persona, systemAdmin } from '../support/personas.js';
import { sharedTenure, type Tenure } from '../support/tenure.js';

const projectA = newProject('tenancy-a');
const projectL = newProject('tenancy-l');
const adminA = inProject(projectA, 'admin');
const memberA = inProject(projectA, 'member');
const readerL = inProject(projectL, 'reader');
const memberL = inProject(projectL, 'member');
const outsider = inProject(newProject('tenancy-c'), 'admin');
const systemMember = inSystem('member');

let tenure: Tenure;

beforeAll(async () => {
  tenure = await sharedTenure();
});

async function nodeWith(fields: Readonly<Record<string, unknown>> = {}): Promise<FleetNode> {
  return imported(
    tenure,
    availableNode(newProject('tenancy'), {
      owner: projectA,
      lessee: projectL,
      ...fields,
    }),
  );
}

const ask = (who: Persona, verb: string, { uuid }: FleetNode, body?: unknown): Promise<Answer> =>
  askLatest(tenure, who, verb.replace('{node}', `/v1/nodes/${uuid}`), body);

const patch = async (who: Persona, node: FleetNode, operations: unknown): Promise<number> =>
  (await ask(who, 'PATCH {node}', node, operations)).status;

const OWNER_CHANGES = [
  ['replaced', replaces('owner', 'the-next')],
  ['removed', removes('owner')],
] as const;

describe.each(OWNER_CHANGES)('an owner that is %s', (_, operations) => {
  it('of a deployed node needs the administrator of the system', async () => {
    const node = await nodeWith({ provision_state: 'active' });
    const refused = await ask(systemMember, 'PATCH {node}', node, operations);
    expect(refused.status).toBe(409);
    expect(faultString(refused.text)).toContain('baremetal:node:update_owner_provisioned');
    expect(await nodeOf(tenure, node.uuid)).toMatchObject({ owner: projectA });
    expect(await patch(systemAdmin, node, operations)).toBe(200);
  });

  it('of another node needs a member of the system', async () => {
    const node = await nodeWith();
    expect(await patch(inSystem('reader'), node, operations)).toBe(403);
    expect(await patch(systemMember, node, operations)).toBe(200);
  });

  it('is visible to no caller of a project, whatever the state', async () => {
    for (const state of ['available', 'active']) {
      const node = await nodeWith({ provision_state: state });
      expect(await patch(adminA, node, operations)).toBe(403);
      expect(await patch(memberL, node, operations)).toBe(403);
      expect(await patch(outsider, node, operations)).toBe(404);
    }
  });
});

const TENANCY_CHANGES = [
  ...OWNER_CHANGES.map(([how, operations]) => ({
    what: `owner is ${how}`,
    who: systemAdmin,
    operations,
  })),
  { what: 'lessee is replaced', who: memberA, operations: replaces('lessee', 'the-next') },
  { what: 'lessee is removed', who: memberA, operations: removes('lessee') },
];

describe('a power action that is under way', () => {
  it.each(TENANCY_CHANGES)('is not overtaken: the $what after it', async ({ who, operations }) => {
    const node = await nodeWith({ driver_info: { fake_delay_ms: 1500 } });
    const started = await ask(memberL, 'PUT {node}/states/power', node, { target: 'power on' });
    expect(started.status).toBe(202);
    expect(await patch(who, node, operations)).toBe(409);
    expect(await nodeOf(tenure, node.uuid)).toMatchObject({ owner: projectA, lessee: projectL });
    expect(await stableNode(tenure, node.uuid)).toMatchObject({ power_state: 'power on' });
    expect(await patch(who, node, operations)).toBe(200);
  });

  it('keeps its node from being deleted', async () => {
    const node = await nodeWith({ driver_info: { fake_delay_ms: 1500 } });
    expect(
      (await ask(memberL, 'PUT {node}/states/power', node, { target: 'power on' })).status,
    ).toBe(202);
    expect((await ask(systemAdmin, 'DELETE {node}', node)).status).toBe(409);
    await stableNode(tenure, node.uuid);
    expect((await ask(systemAdmin, 'DELETE {node}', node)).status).toBe(204);
  });
});

interface Reserved {
  readonly verb: string;
  readonly body?: unknown;
  readonly allowed: Persona;
}

const RESERVED: readonly Reserved[] = [
  { verb: 'PUT {node}/states/power', body: { target: 'power on' }, allowed: memberL },
  { verb: 'PUT {node}/maintenance', body: {}, allowed: memberA },
  { verb: 'PUT {node}/states/provision', body: { target: 'manage' }, allowed: memberA },
  { verb: 'PATCH {node}', body: replaces('extra', { rack: 1 }), allowed: memberL },
  { verb: 'PATCH {node}', body: replaces('name', 'another-name'), allowed: memberA },
  { verb: 'PATCH {node}', body: replaces('owner', null), allowed: systemMember },
  { verb: 'POST {node}/vifs', body: { id: 'a-vif' }, allowed: memberA },
  { verb: 'DELETE {node}', allowed: systemAdmin },
];

describe('a node that is reserved', () => {
  it.each(RESERVED)(
    'answers $verb $body by permission first, then by the lock',
    async ({ verb, body, allowed }) => {
      const node = await nodeWith({ reservation: 'elsewhere.test' });
      const refused = await ask(readerL, verb, node, body);
      const locked = await ask(allowed, verb, node, body);
      const hidden = await ask(outsider, verb, node, body);
      expect([refused.status, locked.status, hidden.status]).toEqual([403, 409, 404]);
      expect(await nodeOf(tenure, node.uuid)).toMatchObject({
        reservation: 'elsewhere.test',
        owner: projectA,
      });
    },
  );

  it('shows who works on it to the system only', async () => {
    const node = await nodeWith({ reservation: 'elsewhere.test' });
    const body = replaces('extra', {});
    const [project, system] = [
      await ask(memberA, 'PATCH {node}', node, body),
      await ask(systemAdmin, 'PATCH {node}', node, body),
    ];
    expect([project.status, system.status]).toEqual([409, 409]);
    expect(project.text).not.toContain('elsewhere.test');
    expect(system.text).toContain('elsewhere.test');
  });
});
