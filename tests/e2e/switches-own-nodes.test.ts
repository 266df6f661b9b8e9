import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { availableNode, nodeOf } from '../support/fleet.js';
import { type Answer, askLatest, faultString } from '../support/http-client.js';
import { inProject, newProject, type Persona, systemAdmin } from '../support/personas.js';
import { sharedTenure, startTenure, type Tenure } from '../support/tenure.js';
import { seenIn } from './noninterference/probe.js';

const projectA = newProject('own-a');
const projectB = newProject('own-b');
const adminA = inProject(projectA, 'admin');

const create = (tenure: Tenure, who: Persona, fields = {}): Promise<Answer> =>
  askLatest(tenure, who, 'POST /v1/nodes', {
    driver: 'fake-hardware',
    name: newProject('own'),
    ...fields,
  });

const remove = (tenure: Tenure, who: Persona, uuid: string): Promise<Answer> =>
  askLatest(tenure, who, `DELETE /v1/nodes/${uuid}`);

describe('TENURE_PROJECT_ADMIN_CAN_MANAGE_OWN_NODES', () => {
  let tenure: Tenure;
  const chassis = { uuid: randomUUID() };

  beforeAll(async () => {
    tenure = await startTenure('own-nodes', { TENURE_PROJECT_ADMIN_CAN_MANAGE_OWN_NODES: 'true' });
    await tenure.importDocument({ nodes: [], chassis: [chassis] });
  });

  afterAll(() => tenure.stop());

  it.each([
    ['nothing about the owner', {}],
    ['that it has no owner', { owner: null }],
    ['its own project as the owner', { owner: projectA }],
    ['cleaning on', { automated_clean: true }],
    ['a lessee', { lessee: projectB }],
    ['fields that its members write', { description: 'mine', extra: { rack: 1 }, retired: true }],
    ['driver settings', { driver_info: { fake_delay_ms: 0 }, properties: { cpus: 4 } }],
  ])(
    'lets a project’s admin create a node that says %s: it is the project’s',
    async (_, fields) => {
      const made = await create(tenure, adminA, fields);
      expect([made.status, made.json]).toMatchObject([201, { ...fields, owner: projectA }]);
    },
  );

  it.each([
    ['another owner', { owner: projectB }],
    ['a shard', { shard: 'one' }],
    ['a chassis', { chassis_uuid: chassis.uuid }],
    ['cleaning off', { automated_clean: false }],
    ['cleaning off in a word', { automated_clean: 'no' }],
  ])('refuses a project’s admin a node with %s', async (_, fields) => {
    const name = newProject('refused');
    const answer = await create(tenure, adminA, { ...fields, name });
    const there = await askLatest(tenure, systemAdmin, `GET /v1/nodes/${name}`);
    expect([answer.status, there.status]).toEqual([403, 404]);
    expect((await create(tenure, systemAdmin, { ...fields, name })).status).toBe(201);
  });

  it.each([
    ['a conductor group', { conductor_group: 'one' }],
    ['a parent', { parent_node: randomUUID() }],
  ])('refuses a project’s admin %s before it looks whether there is one', async (_, fields) => {
    expect((await create(tenure, adminA, fields)).status).toBe(403);
    expect((await create(tenure, systemAdmin, fields)).status).toBe(400);
  });

  it('says no more of a chassis that is there than of one that is not', async () => {
    const [registered, unknown] = [chassis.uuid, randomUUID()];
    const answers = await Promise.all(
      [registered, unknown].map((uuid) => create(tenure, adminA, { chassis_uuid: uuid })),
    );
    const [one, other] = answers.map(({ status, text }) => [status, faultString(text)]);
    expect(one).toEqual(other);
  });

  it.each(['manager', 'member', 'reader', 'service'])('lets no %s create one', async (role) => {
    expect((await create(tenure, inProject(projectA, role))).status).toBe(403);
  });

  it('lets the owner’s admin delete it, and nobody else in a project', async () => {
    const node = availableNode(newProject('own'), { owner: projectA, lessee: projectB });
    await tenure.importDocument({ nodes: [node] });
    const statusFor = async (who: Persona): Promise<number> =>
      (await remove(tenure, who, node.uuid)).status;
    expect(await statusFor(inProject(projectA, 'manager'))).toBe(403);
    expect(await statusFor(inProject(projectA, 'service'))).toBe(403);
    expect(await statusFor(inProject(projectB, 'admin'))).toBe(403);
    const missing = randomUUID();
    const outsider = inProject(newProject('own-c'), 'admin');
    expect(seenIn(await remove(tenure, outsider, node.uuid), node.uuid)).toEqual(
      seenIn(await remove(tenure, outsider, missing), missing),
    );
    expect(await nodeOf(tenure, node.uuid)).toMatchObject({ owner: projectA });
    expect(await statusFor(adminA)).toBe(204);
  });

  it('gives the admin no other node, and no other owner afterwards', async () => {
    const made = await create(tenure, adminA);
    const { uuid } = made.json as { uuid: string }; // created above
    const patch = [{ op: 'replace', path: '/owner', value: projectB }];
    const answer = await askLatest(tenure, adminA, `PATCH /v1/nodes/${uuid}`, patch);
    expect(answer.status).toBe(403);
    const nobodys = availableNode(newProject('own'));
    await tenure.importDocument({ nodes: [nobodys] });
    expect((await remove(tenure, adminA, nobodys.uuid)).status).toBe(404);
    expect((await remove(tenure, systemAdmin, nobodys.uuid)).status).toBe(204);
  });
});

describe('without the switch', () => {
  it('a project’s admin neither creates nor deletes', async () => {
    const tenure = await sharedTenure();
    const node = availableNode(newProject('own'), { owner: projectA });
    await tenure.importDocument({ nodes: [node] });
    expect((await create(tenure, adminA)).status).toBe(403);
    expect((await create(tenure, adminA, { owner: projectA })).status).toBe(403);
    expect((await remove(tenure, adminA, node.uuid)).status).toBe(403);
  });
});
