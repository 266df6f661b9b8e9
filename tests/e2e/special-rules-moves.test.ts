import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { availableNode, type FleetNode } from '../support/fleet.js';
import { type Answer, askLatest } from '../support/http-client.js';
import {
  connectorOn,
  newMac,
  type Part,
  portgroupOn,
  portOn,
  targetOn,
} from '../support/node-parts.js';
import { replaces } from '../support/patch.js';
import { inProject, newProject, type Persona, systemAdmin } from '../support/personas.js';
import { sharedTenure, type Tenure } from '../support/tenure.js';
import { distinctAnswers } from './special-rules/distinct-answers.js';

const projectA = newProject('move-a');
const projectB = newProject('move-b');
const projectL = newProject('move-l');
const managerA = inProject(projectA, 'manager');

const REFUSED = {
  status: 400,
  fault: 'Unable to apply the requested node_uuid. Requested value was invalid.',
};

let tenure: Tenure;

beforeAll(async () => {
  tenure = await sharedTenure();
});

const nodes = {
  home: availableNode(newProject('home'), { owner: projectA }),
  other: availableNode(newProject('other'), { owner: projectA }),
  leasedByA: availableNode(newProject('leased'), { owner: projectB, lessee: projectA }),
  leasedToL: availableNode(newProject('leased'), { owner: projectA, lessee: projectL }),
  alsoLeasedToL: availableNode(newProject('leased'), { owner: projectA, lessee: projectL }),
  invisible: availableNode(newProject('invisible'), { owner: projectB }),
  nobodys: availableNode(newProject('nobodys')),
  busy: availableNode(newProject('busy'), { owner: projectA, reservation: 'elsewhere.test' }),
};

beforeAll(() => tenure.importDocument({ nodes: Object.values(nodes) }));

const KINDS: readonly (readonly [string, string, (node: FleetNode) => Part])[] = [
  ['ports', '/v1/ports', portOn],
  ['portgroups', '/v1/portgroups', portgroupOn],
  ['volume_connectors', '/v1/volume/connectors', connectorOn],
  ['volume_targets', '/v1/volume/targets', targetOn],
];

describe.each(KINDS)('one of the %s', (section, path, make) => {
  const placed = async (node = nodes.home): Promise<Part> => {
    const part = make(node);
    await tenure.importDocument({ nodes: [], [section]: [part] });
    return part;
  };
  const move = (who: Persona, { uuid }: Part, to: string): Promise<Answer> =>
    askLatest(tenure, who, `PATCH ${path}/${uuid}`, replaces('node_uuid', to));
  const homeOf = async ({ uuid }: Part): Promise<unknown> =>
    (await askLatest(tenure, systemAdmin, `GET ${path}/${uuid}`)).json;

  it('moves to another own node', async () => {
    const part = await placed();
    const answer = await move(managerA, part, nodes.other.uuid);
    expect([answer.status, answer.json]).toMatchObject([200, { node_uuid: nodes.other.uuid }]);
    expect(await homeOf(part)).toMatchObject({ node_uuid: nodes.other.uuid });
  });

  it('does not move to a node that is invisible, missing, or another owner’s, all in one answer', async () => {
    const part = await placed();
    const targets = [randomUUID(), nodes.invisible.uuid, nodes.leasedByA.uuid, nodes.nobodys.uuid];
    expect(await distinctAnswers(targets, (target) => move(managerA, part, target))).toEqual([
      REFUSED,
    ]);
    expect(await homeOf(part)).toMatchObject({ node_uuid: nodes.home.uuid });
  });

  it('moves to another owner’s node for nobody, the system included', async () => {
    const part = await placed();
    expect((await move(systemAdmin, part, nodes.invisible.uuid)).status).toBe(400);
    expect((await move(systemAdmin, part, nodes.other.uuid)).status).toBe(200);
  });

  it('does not move to or from a node that is being worked on', async () => {
    const [here, there] = [await placed(), await placed(nodes.busy)];
    expect((await move(managerA, here, nodes.busy.uuid)).status).toBe(409);
    expect((await move(managerA, there, nodes.home.uuid)).status).toBe(409);
    expect(await homeOf(there)).toMatchObject({ node_uuid: nodes.busy.uuid });
  });

  it('does not move for a lessee, nor for whom it is not there', async () => {
    const part = await placed(nodes.leasedByA);
    expect((await move(inProject(projectA, 'member'), part, nodes.home.uuid)).status).toBe(403);
    expect((await move(inProject(newProject('c'), 'admin'), part, nodes.home.uuid)).status).toBe(
      404,
    );
  });
});

describe('a volume target of a lessee', () => {
  it('moves among the nodes that the lessee leases of one owner, and nowhere else', async () => {
    const target = targetOn(nodes.leasedToL);
    await tenure.importDocument({ nodes: [], volume_targets: [target] });
    const move = (to: string): Promise<Answer> =>
      askLatest(
        tenure,
        inProject(projectL, 'manager'),
        `PATCH /v1/volume/targets/${target.uuid}`,
        replaces('node_uuid', to),
      );
    const elsewhere = [randomUUID(), nodes.home.uuid, nodes.invisible.uuid, nodes.leasedByA.uuid];
    expect(await distinctAnswers(elsewhere, move)).toEqual([REFUSED]);
    expect((await move(nodes.alsoLeasedToL.uuid)).status).toBe(200);
  });
});

describe('the group of a port', () => {
  const groups = {
    own: portgroupOn(nodes.home),
    ofOther: portgroupOn(nodes.other),
    ofInvisible: portgroupOn(nodes.invisible),
    ofLeased: portgroupOn(nodes.leasedByA),
  };
  const foreign = [groups.ofOther, groups.ofInvisible, groups.ofLeased].map(({ uuid }) => uuid);
  const refused = {
    status: 400,
    fault: 'Unable to apply the requested portgroup_uuid. Requested value was invalid.',
  };

  beforeAll(() => tenure.importDocument({ nodes: [], portgroups: Object.values(groups) }));

  it('is one of the same node when the port is made', async () => {
    const create = (group: string): Promise<Answer> =>
      askLatest(tenure, managerA, 'POST /v1/ports', {
        node_uuid: nodes.home.uuid,
        address: newMac(),
        portgroup_uuid: group,
      });
    expect(await distinctAnswers([randomUUID(), ...foreign], create)).toEqual([refused]);
    expect((await create(groups.own.uuid)).status).toBe(201);
  });

  it('is one of the same node when the port is changed', async () => {
    const node = availableNode(newProject('rewired'), { owner: projectA, maintenance: true });
    const [port, group] = [portOn(node), portgroupOn(node)];
    await tenure.importDocument({ nodes: [node], ports: [port], portgroups: [group] });
    const join = (to: string): Promise<Answer> =>
      askLatest(tenure, managerA, `PATCH /v1/ports/${port.uuid}`, replaces('portgroup_uuid', to));
    expect(await distinctAnswers([randomUUID(), ...foreign], join)).toEqual([refused]);
    expect((await join(group.uuid)).status).toBe(200);
    // and does not stay behind when the port moves away
    const moved = await askLatest(
      tenure,
      managerA,
      `PATCH /v1/ports/${port.uuid}`,
      replaces('node_uuid', nodes.other.uuid),
    );
    expect(moved.status).toBe(400);
  });
});

describe.each(['/v1/ports', '/v1/portgroups'])('creating one of %s', (path) => {
  it('on a node that is not visible is refused as on a missing one', async () => {
    const create = (node: string): Promise<Answer> =>
      askLatest(tenure, managerA, `POST ${path}`, { node_uuid: node, address: newMac() });
    expect(await distinctAnswers([randomUUID(), nodes.invisible.uuid], create)).toMatchObject([
      { status: 403 },
    ]);
    expect((await create(nodes.leasedByA.uuid)).status).toBe(403);
    expect((await create(nodes.busy.uuid)).status).toBe(409);
    expect((await create(nodes.home.uuid)).status).toBe(201);
  });
});
