import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { availableNode, type FleetNode } from '../support/fleet.js';
import { type Answer, askLatest } from '../support/http-client.js';
import { connectorOn, portgroupOn, portOn, targetOn } from '../support/node-parts.js';
import { replaces } from '../support/patch.js';
import { inProject, inSystem, newProject, type Persona, systemAdmin } from '../support/personas.js';
import { sharedTenure, type Tenure } from '../support/tenure.js';
import { distinctAnswers } from './special-rules/distinct-answers.js';

const projectA = newProject('belongs-a');
const projectB = newProject('belongs-b');
const managerA = inProject(projectA, 'manager');
const systemMember = inSystem('member');

let tenure: Tenure;

beforeAll(async () => {
  tenure = await sharedTenure();
});

const aNode = (fields: Readonly<Record<string, unknown>> = {}): FleetNode =>
  availableNode(newProject('belongs'), { owner: projectA, ...fields });

async function nodesWith(...nodes: readonly FleetNode[]): Promise<void> {
  await tenure.importDocument({ nodes });
}

const adopt = (who: Persona, child: FleetNode, parent: unknown): Promise<Answer> =>
  askLatest(tenure, who, `PATCH /v1/nodes/${child.uuid}`, replaces('parent_node', parent));

const send = async (who: Persona, line: string): Promise<number> =>
  (await askLatest(tenure, who, line)).status;

describe('parent_node', () => {
  it('is another node of the same owner, by uuid or name, and can be taken back', async () => {
    const [parent, child] = [aNode(), aNode()];
    await nodesWith(parent, child);
    for (const ident of [parent.uuid, parent.name]) {
      const answer = await adopt(systemMember, child, ident);
      expect([answer.status, answer.json]).toMatchObject([200, { parent_node: parent.uuid }]);
    }
    const children = await askLatest(tenure, systemMember, `GET /v1/nodes/${parent.uuid}/children`);
    expect(children.json).toMatchObject({ children: [child.uuid] });
    const orphaned = await adopt(systemMember, child, null);
    expect([orphaned.status, orphaned.json]).toMatchObject([200, { parent_node: null }]);
  });

  it('is refused in one answer whatever is wrong with it', async () => {
    const [parent, child, foreign, nobodys, node] = [
      aNode(),
      aNode(),
      aNode({ owner: projectB }),
      aNode({ owner: null }),
      aNode(),
    ];
    await nodesWith(parent, { ...child, parent_node: parent.uuid }, foreign, nobodys, node);
    const wrong = [randomUUID(), foreign.uuid, nobodys.uuid, node.uuid, child.uuid];
    const refused = { status: 400, fault: 'Node IDENT cannot be the parent of this node.' };
    expect(await distinctAnswers(wrong, (ident) => adopt(systemAdmin, node, ident))).toEqual([
      refused,
    ]);
    // a parent gets no parent of its own
    expect(
      await distinctAnswers([node.uuid], (ident) => adopt(systemAdmin, parent, ident)),
    ).toEqual([refused]);
  });

  it('is the system’s to write', async () => {
    const [parent, child] = [aNode(), aNode()];
    await nodesWith(parent, child);
    expect((await adopt(inProject(projectA, 'admin'), child, parent.uuid)).status).toBe(403);
    expect((await adopt(inProject(projectB, 'admin'), child, parent.uuid)).status).toBe(404);
  });
});

describe('what something else hangs on', () => {
  it('a node with children is not deleted before they are', async () => {
    const [parent, child] = [aNode(), aNode()];
    await nodesWith(parent, { ...child, parent_node: parent.uuid });
    expect(await send(systemAdmin, `DELETE /v1/nodes/${parent.uuid}`)).toBe(409);
    expect(await send(systemAdmin, `DELETE /v1/nodes/${child.uuid}`)).toBe(204);
    expect(await send(systemAdmin, `DELETE /v1/nodes/${parent.uuid}`)).toBe(204);
  });

  it('a chassis with nodes is not deleted', async () => {
    const chassis = { uuid: randomUUID(), description: 'row 1' };
    const node = aNode({ chassis_uuid: chassis.uuid });
    await tenure.importDocument({ nodes: [node], chassis: [chassis] });
    expect(await send(systemAdmin, `DELETE /v1/chassis/${chassis.uuid}`)).toBe(400);
    expect(await send(systemAdmin, `DELETE /v1/nodes/${node.uuid}`)).toBe(204);
    expect(await send(systemAdmin, `DELETE /v1/chassis/${chassis.uuid}`)).toBe(204);
  });

  it('a port group with ports is not deleted', async () => {
    const node = aNode({ maintenance: true });
    const group = portgroupOn(node);
    const port = portOn(node, { portgroup_uuid: group.uuid });
    await tenure.importDocument({ nodes: [node], portgroups: [group], ports: [port] });
    expect(await send(managerA, `DELETE /v1/portgroups/${group.uuid}`)).toBe(400);
    expect(await send(managerA, `DELETE /v1/ports/${port.uuid}`)).toBe(204);
    expect(await send(managerA, `DELETE /v1/portgroups/${group.uuid}`)).toBe(204);
  });
});

describe('deleting a node', () => {
  it('takes with it what hangs on it, and leaves the rest', async () => {
    const [node, other] = [aNode(), aNode()];
    await tenure.importDocument({
      nodes: [node, other],
      ports: [portOn(node), portOn(other)],
      portgroups: [portgroupOn(node), portgroupOn(other)],
      volume_connectors: [connectorOn(node), connectorOn(other)],
      volume_targets: [targetOn(node), targetOn(other)],
    });
    const traits = `PUT /v1/nodes/${node.uuid}/traits/CUSTOM_MISSING`;
    expect(await send(managerA, traits)).toBe(204);
    const paths = ['/v1/ports', '/v1/portgroups', '/v1/volume/connectors', '/v1/volume/targets'];
    const counts = async (): Promise<readonly unknown[]> => {
      const answers = await Promise.all(
        paths.map((path) => askLatest(tenure, managerA, `GET ${path}?fields=uuid,node_uuid`)),
      );
      return answers.map(({ text }) => [
        text.split(node.uuid).length - 1,
        text.split(other.uuid).length - 1,
      ]);
    };
    expect(await counts()).toEqual(paths.map(() => [1, 1]));
    expect(await send(systemAdmin, `DELETE /v1/nodes/${node.uuid}`)).toBe(204);
    expect(await counts()).toEqual(paths.map(() => [0, 1]));
    // who comes after under the same uuid inherits nothing
    await nodesWith(node);
    expect(await counts()).toEqual(paths.map(() => [0, 1]));
    const left = await askLatest(tenure, managerA, `GET /v1/nodes/${node.uuid}/traits`);
    expect(left.json).toEqual({ traits: [] });
  });

  it('frees the addresses and volumes’ places that were on it', async () => {
    const [node, other] = [aNode(), aNode()];
    const port = portOn(node);
    await tenure.importDocument({ nodes: [node, other], ports: [port] });
    const again = { node_uuid: other.uuid, address: port['address'] };
    expect((await askLatest(tenure, managerA, 'POST /v1/ports', again)).status).toBe(409);
    expect(await send(systemAdmin, `DELETE /v1/nodes/${node.uuid}`)).toBe(204);
    expect((await askLatest(tenure, managerA, 'POST /v1/ports', again)).status).toBe(201);
  });
});
