import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { availableNode, type FleetNode } from '../support/fleet.js';
import { type Answer, askLatest, faultString } from '../support/http-client.js';
import { type Part, portgroupOn, portOn } from '../support/node-parts.js';
import { replaces } from '../support/patch.js';
import { inProject, newProject, type Persona, systemAdmin } from '../support/personas.js';
import { sharedTenure, type Tenure } from '../support/tenure.js';
import { seenIn } from './noninterference/probe.js';

const projectA = newProject('vif-a');
const projectB = newProject('vif-b');
const projectL = newProject('vif-l');
const memberA = inProject(projectA, 'member');
const memberB = inProject(projectB, 'member');
const managerL = inProject(projectL, 'manager');
const memberL = inProject(projectL, 'member');

let tenure: Tenure;

beforeAll(async () => {
  tenure = await sharedTenure();
});

interface Machine {
  readonly node: FleetNode;
  readonly port: Part;
}

/** A node with one port of its own. */
async function machine(fields: Readonly<Record<string, unknown>>): Promise<Machine> {
  const node = availableNode(newProject('vif'), fields);
  const port = portOn(node);
  await tenure.importDocument({ nodes: [node], ports: [port] });
  return { node, port };
}

const attach = (who: Persona, { node }: Machine, id: string, where = {}): Promise<Answer> =>
  askLatest(tenure, who, `POST /v1/nodes/${node.uuid}/vifs`, { id, ...where });

const detach = (who: Persona, { node }: Machine, id: string): Promise<Answer> =>
  askLatest(tenure, who, `DELETE /v1/nodes/${node.uuid}/vifs/${id}`);

const attachedTo = async ({ node }: Machine): Promise<unknown> =>
  (await askLatest(tenure, systemAdmin, `GET /v1/nodes/${node.uuid}/vifs`)).json;

const statusOf = async (answer: Promise<Answer>): Promise<number> => (await answer).status;

describe('a VIF of one’s own', () => {
  it('is attached, listed, detached, and attached elsewhere', async () => {
    const [one, two] = [await machine({ owner: projectA }), await machine({ owner: projectA })];
    const vif = randomUUID();
    expect(await statusOf(attach(memberA, one, vif))).toBe(204);
    expect(await attachedTo(one)).toEqual({ vifs: [{ id: vif }] });
    expect(await statusOf(detach(memberA, one, vif))).toBe(204);
    expect(await attachedTo(one)).toEqual({ vifs: [] });
    expect(await statusOf(attach(memberA, two, vif))).toBe(204);
    expect(await attachedTo(two)).toEqual({ vifs: [{ id: vif }] });
  });

  it('is on one node at a time', async () => {
    const [one, two] = [await machine({ owner: projectA }), await machine({ owner: projectA })];
    const vif = randomUUID();
    expect(await statusOf(attach(memberA, one, vif))).toBe(204);
    expect(await statusOf(attach(memberA, two, vif))).toBe(409);
    expect(await statusOf(attach(memberA, one, vif))).toBe(409);
    expect([await attachedTo(one), await attachedTo(two)]).toEqual([
      { vifs: [{ id: vif }] },
      { vifs: [] },
    ]);
  });

  it('is given to one of two nodes that ask for it at once', async () => {
    const machines = await Promise.all([1, 2, 3, 4].map(() => machine({ owner: projectA })));
    const vif = randomUUID();
    const statuses = await Promise.all(machines.map((one) => statusOf(attach(memberA, one, vif))));
    const holders = await Promise.all(machines.map(attachedTo));
    expect(statuses.filter((status) => ![204, 409].includes(status))).toEqual([]);
    expect(holders.filter((vifs) => JSON.stringify(vifs).includes(vif))).toHaveLength(
      statuses.filter((status) => status === 204).length,
    );
    expect(statuses.filter((status) => status === 204).length).toBeLessThanOrEqual(1);
  });

  it('goes to the place on the node that the caller chose', async () => {
    const node = availableNode(newProject('vif'), { owner: projectA });
    const [port, other] = [portOn(node), portOn(node)];
    await tenure.importDocument({ nodes: [node], ports: [port, other] });
    const vif = randomUUID();
    expect(await statusOf(attach(memberA, { node, port }, vif, { port_uuid: other.uuid }))).toBe(
      204,
    );
    const { json } = await askLatest(tenure, memberA, `GET /v1/ports/${other.uuid}`);
    expect(json).toMatchObject({ internal_info: { tenant_vif_port_id: vif } });
  });
});

describe('a VIF that another project uses', () => {
  it('is refused with the message for one that cannot be used, and free once it is detached', async () => {
    const [mine, theirs] = [await machine({ owner: projectA }), await machine({ owner: projectB })];
    const [claimed, free] = [randomUUID(), randomUUID()];
    expect(await statusOf(attach(memberB, theirs, claimed))).toBe(204);
    const unusable = await attach(memberA, mine, free, { port_uuid: theirs.port.uuid });
    const whileAttached = await attach(memberA, mine, claimed);
    expect(await statusOf(detach(memberB, theirs, claimed))).toBe(204);
    expect(unusable.status).toBe(400);
    expect(faultString(unusable.text)).toBe(
      `VIF ${free} cannot be attached to node ${mine.node.uuid}.`,
    );
    expect(seenIn(whileAttached, claimed)).toEqual(seenIn(unusable, free));
    expect(await attachedTo(mine)).toEqual({ vifs: [] });
    expect(await statusOf(attach(memberA, mine, claimed))).toBe(204);
  });

  it('does not come along when somebody else moves its port to another node', async () => {
    const leased = await machine({ owner: projectA, lessee: projectL });
    const other = await machine({ owner: projectA });
    const vif = randomUUID();
    expect(await statusOf(attach(managerL, leased, vif))).toBe(204);
    const move = (): Promise<Answer> =>
      askLatest(
        tenure,
        inProject(projectA, 'manager'),
        `PATCH /v1/ports/${leased.port.uuid}`,
        replaces('node_uuid', other.node.uuid),
      );
    expect((await move()).status).toBe(409);
    expect([await attachedTo(leased), await attachedTo(other)]).toEqual([
      { vifs: [{ id: vif }] },
      { vifs: [] },
    ]);
    expect(await statusOf(detach(memberA, leased, vif))).toBe(204);
    expect((await move()).status).toBe(200);
  });

  it('is not claimed by an attachment that was refused', async () => {
    const [mine, theirs] = [await machine({ owner: projectA }), await machine({ owner: projectB })];
    const vif = randomUUID();
    const place = { port_uuid: theirs.port.uuid };
    expect(await statusOf(attach(memberA, mine, vif, place))).toBe(400);
    expect(await statusOf(attach(memberB, theirs, vif))).toBe(204);
  });
});

describe('a place that is not the node’s', () => {
  it('is refused alike whether it is another own node’s, somebody else’s, or missing', async () => {
    const [mine, own, theirs] = [
      await machine({ owner: projectA }),
      await machine({ owner: projectA }),
      await machine({ owner: projectB }),
    ];
    const groups = [portgroupOn(own.node), portgroupOn(theirs.node)];
    await tenure.importDocument({ nodes: [], portgroups: groups });
    const places = [
      ...[own.port.uuid, theirs.port.uuid, randomUUID()].map((uuid) => ({ port_uuid: uuid })),
      ...[...groups.map(({ uuid }) => uuid), randomUUID()].map((uuid) => ({
        portgroup_uuid: uuid,
      })),
    ];
    const vif = randomUUID();
    const answers = new Set<string>();
    for (const place of places) {
      const { status, headers, text } = seenIn(await attach(memberA, mine, vif, place), vif);
      answers.add(JSON.stringify([status, headers, text]));
    }
    expect([...answers].map((answer) => JSON.parse(answer) as unknown)).toEqual([
      [400, expect.any(Array), expect.stringContaining('VIF IDENT cannot be attached to node')],
    ]);
  });
});

describe('a VIF that the system attaches', () => {
  it('becomes the lessee’s of a leased node', async () => {
    const leased = await machine({ owner: projectA, lessee: projectL });
    const spare = await machine({ owner: projectA, lessee: projectL });
    const unleased = await machine({ owner: projectA });
    const vif = randomUUID();
    expect(await statusOf(attach(systemAdmin, leased, vif))).toBe(204);
    expect(await statusOf(attach(memberA, unleased, vif))).toBe(400);
    expect(await statusOf(detach(systemAdmin, leased, vif))).toBe(204);
    expect(await statusOf(attach(memberL, spare, vif))).toBe(403);
    expect(await statusOf(attach(managerL, spare, vif))).toBe(204);
  });

  it('becomes the owner’s of a node without lessee', async () => {
    const [mine, theirs] = [await machine({ owner: projectA }), await machine({ owner: projectB })];
    const vif = randomUUID();
    expect(await statusOf(attach(systemAdmin, mine, vif))).toBe(204);
    expect(await statusOf(attach(memberB, theirs, vif))).toBe(400);
    expect(await statusOf(detach(memberA, mine, vif))).toBe(204);
    expect(await statusOf(attach(memberA, mine, vif))).toBe(204);
  });

  it('is the operator’s on a node of nobody', async () => {
    const [nobodys, mine] = [await machine({}), await machine({ owner: projectA })];
    const vif = randomUUID();
    expect(await statusOf(attach(systemAdmin, nobodys, vif))).toBe(204);
    expect(await statusOf(attach(memberA, mine, vif))).toBe(400);
    expect(await statusOf(detach(systemAdmin, nobodys, vif))).toBe(204);
    expect(await statusOf(attach(memberA, mine, vif))).toBe(204);
  });
});
