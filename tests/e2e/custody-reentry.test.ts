import { beforeAll, describe, expect, it } from '@jest/globals';
import { availableNode, type FleetNode, imported, nodeOf } from '../support/fleet.js';
import { type Answer, askLatest, faultString } from '../support/http-client.js';
import { replaces } from '../support/patch.js';
import { inProject, inSystem, newProject, type Persona } from '../support/personas.js';
import { sharedTenure, type Tenure } from '../support/tenure.js';
import { eventually } from '../support/wait.js';

const ownerProject = newProject('reentry-owner');
const lesseeProject = newProject('reentry-lessee');
const owner = inProject(ownerProject, 'member');
const lesseeMember = inProject(lesseeProject, 'member');
const lesseeAdmin = inProject(lesseeProject, 'admin');
const nova = inSystem('service');

type Fields = Readonly<Record<string, unknown>>;

let tenure: Tenure;

beforeAll(async () => {
  tenure = await sharedTenure();
});

const machine = (fields: Fields = {}): Promise<FleetNode> =>
  imported(tenure, availableNode(newProject('reentry'), { owner: ownerProject, ...fields }));

const ask = (who: Persona, verb: string, { uuid }: FleetNode, body?: unknown): Promise<Answer> =>
  askLatest(tenure, who, verb.replace('{node}', `/v1/nodes/${uuid}`), body);

async function deployed(who: Persona, node: FleetNode): Promise<Fields> {
  const order = await ask(who, 'PUT {node}/states/provision', node, { target: 'active' });
  expect([order.status, order.text]).toEqual([202, expect.any(String)]);
  return eventually(
    () => nodeOf(tenure, node.uuid),
    ({ provision_state }) => provision_state === 'active',
    { what: 'deployed node', within: 20_000 },
  );
}

const namesItself = (project: string) => [
  { op: 'add', path: '/instance_info/project_id', value: project },
];

describe('a lessee that wants the machine back', () => {
  it('cannot write itself into the instance, by whatever path', async () => {
    const node = await machine({ lessee: lesseeProject });
    for (const who of [lesseeMember, lesseeAdmin])
      for (const operations of [
        namesItself(lesseeProject),
        replaces('instance_info', { image_source: 'http://x', project_id: lesseeProject }),
        [
          { op: 'add', path: '/instance_info', value: {} },
          { op: 'add', path: '/instance_info/project_id', value: lesseeProject },
        ],
      ]) {
        const refused = await ask(who, 'PATCH {node}', node, operations);
        expect(refused.status).toBe(403);
        expect(faultString(refused.text)).toContain('baremetal:node:update:lessee');
      }
    const rest = [{ op: 'add', path: '/instance_info/image_source', value: 'http://x' }];
    expect((await ask(lesseeMember, 'PATCH {node}', node, rest)).status).toBe(200);
    expect(await nodeOf(tenure, node.uuid)).toMatchObject({
      instance_info: { image_source: 'http://x' },
    });
  });

  it('has no machine after its owner has deployed it', async () => {
    const node = await machine({ lessee: lesseeProject });
    expect((await ask(lesseeMember, 'PATCH {node}', node, namesItself(lesseeProject))).status).toBe(
      403,
    );
    expect((await ask(owner, 'PATCH {node}', node, replaces('lessee', null))).status).toBe(200);
    expect(await deployed(owner, node)).toMatchObject({ lessee: null });
    expect((await ask(lesseeAdmin, 'GET {node}', node)).status).toBe(404);
  });

  it('may write what is there already', async () => {
    const node = await machine({
      lessee: lesseeProject,
      instance_info: { project_id: lesseeProject },
    });
    const whole = replaces('instance_info', {
      project_id: lesseeProject,
      image_source: 'http://x',
    });
    expect((await ask(lesseeMember, 'PATCH {node}', node, whole)).status).toBe(200);
  });
});

describe('whoever may write the lessee', () => {
  it.each([
    ['the owner', owner],
    ['Nova', nova],
  ])('%s names the project of an instance, which then leases the machine', async (_what, who) => {
    const node = await machine();
    expect((await ask(who, 'PATCH {node}', node, namesItself(lesseeProject))).status).toBe(200);
    expect(await deployed(who, node)).toMatchObject({ lessee: lesseeProject });
    expect((await ask(lesseeMember, 'GET {node}', node)).status).toBe(200);
  });
});
