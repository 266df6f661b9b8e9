import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { availableNode, type FleetNode, imported } from '../support/fleet.js';
import { type Answer, askLatest, faultString } from '../support/http-client.js';
import { targetOn } from '../support/node-parts.js';
import { replaces } from '../support/patch.js';
import { inProject, newProject, type Persona, systemAdmin } from '../support/personas.js';
import { sharedTenure, type Tenure } from '../support/tenure.js';
import { seenIn } from './noninterference/probe.js';

const projectA = newProject('volume-a');
const projectB = newProject('volume-b');
const projectL = newProject('volume-l');
const managerA = inProject(projectA, 'manager');
const managerB = inProject(projectB, 'manager');
const managerL = inProject(projectL, 'manager');
const readerL = inProject(projectL, 'reader');

const UNUSABLE = 'Unable to apply the requested volume_id. Requested value was invalid.';

let tenure: Tenure;

beforeAll(async () => {
  tenure = await sharedTenure();
});

async function nodeWith(fields: Readonly<Record<string, unknown>>): Promise<FleetNode> {
  return imported(tenure, availableNode(newProject('volume'), fields));
}

let boots = 0;

function create(who: Persona, node: { readonly uuid: string }, volume: string): Promise<Answer> {
  boots += 1;
  return askLatest(tenure, who, 'POST /v1/volume/targets', {
    node_uuid: node.uuid,
    volume_type: 'iscsi',
    boot_index: boots,
    volume_id: volume,
  });
}

const uuidOf = ({ json }: Answer): string => (json as { uuid: string }).uuid; // every created resource has one

describe('a volume', () => {
  it('is refused to a project while another uses it, and free once its target is deleted', async () => {
    const [mine, theirs] = [
      await nodeWith({ owner: projectA }),
      await nodeWith({ owner: projectB }),
    ];
    const volume = randomUUID();
    const made = await create(managerB, theirs, volume);
    expect(made.status).toBe(201);
    const refused = await create(managerA, mine, volume);
    expect([refused.status, faultString(refused.text)]).toEqual([400, UNUSABLE]);
    const removed = await askLatest(tenure, managerB, `DELETE /v1/volume/targets/${uuidOf(made)}`);
    expect(removed.status).toBe(204);
    expect((await create(managerA, mine, volume)).status).toBe(201);
    expect(seenIn(await create(managerB, theirs, volume), volume)).toEqual(seenIn(refused, volume));
  });

  it('cannot be taken over by an update either', async () => {
    const [mine, theirs] = [
      await nodeWith({ owner: projectA }),
      await nodeWith({ owner: projectB }),
    ];
    const [volume, other] = [randomUUID(), randomUUID()];
    const target = targetOn(mine);
    await tenure.importDocument({ nodes: [], volume_targets: [target] });
    expect((await create(managerB, theirs, volume)).status).toBe(201);
    const put = (id: string): Promise<Answer> =>
      askLatest(
        tenure,
        managerA,
        `PATCH /v1/volume/targets/${target.uuid}`,
        replaces('volume_id', id),
      );
    const refused = await put(volume);
    expect([refused.status, faultString(refused.text)]).toEqual([400, UNUSABLE]);
    const taken = await put(other);
    expect([taken.status, taken.json]).toMatchObject([200, { volume_id: other }]);
  });

  it('does not come along when somebody else moves its target to another node', async () => {
    const leased = await nodeWith({ owner: projectA, lessee: projectL });
    const [mine, another] = [
      await nodeWith({ owner: projectA }),
      await nodeWith({ owner: projectA, lessee: projectL }),
    ];
    const made = await create(managerL, leased, randomUUID());
    expect(made.status).toBe(201);
    const move = (who: Persona, to: FleetNode): Promise<Answer> =>
      askLatest(
        tenure,
        who,
        `PATCH /v1/volume/targets/${uuidOf(made)}`,
        replaces('node_uuid', to.uuid),
      );
    const refused = await move(managerA, mine);
    expect([refused.status, faultString(refused.text)]).toEqual([400, UNUSABLE]);
    expect((await move(managerL, another)).status).toBe(200);
  });

  it('that the system uses on a leased node becomes the lessee’s', async () => {
    const leased = await nodeWith({ owner: projectA, lessee: projectL });
    const mine = await nodeWith({ owner: projectA });
    const volume = randomUUID();
    expect((await create(systemAdmin, leased, volume)).status).toBe(201);
    expect((await create(managerA, mine, volume)).status).toBe(400);
    expect((await create(managerL, leased, volume)).status).toBe(201);
  });

  it('that the system uses on a node without lessee becomes the owner’s', async () => {
    const [mine, theirs] = [
      await nodeWith({ owner: projectA }),
      await nodeWith({ owner: projectB }),
    ];
    const volume = randomUUID();
    expect((await create(systemAdmin, mine, volume)).status).toBe(201);
    expect((await create(managerB, theirs, volume)).status).toBe(400);
    expect((await create(managerA, mine, volume)).status).toBe(201);
  });

  it('shows nothing of its secrets to who may not see them', async () => {
    const node = await nodeWith({ owner: projectA, lessee: projectL });
    const target = targetOn(node, {
      properties: { target_portal: '192.0.2.9:3260', auth_password: 'swordfish' },
    });
    await tenure.importDocument({ nodes: [], volume_targets: [target] });
    const of = (who: Persona): Promise<Answer> =>
      askLatest(tenure, who, `GET /v1/volume/targets/${target.uuid}`);
    expect((await of(managerL)).json).toMatchObject({ properties: {} });
    expect((await of(inProject(projectL, 'admin'))).json).toMatchObject({
      properties: { target_portal: '192.0.2.9:3260', auth_password: '******' },
    });
    expect((await of(systemAdmin)).text).not.toContain('swordfish');
  });
});

describe.each([
  ['targets', { volume_type: 'iscsi', boot_index: 900, volume_id: 'v' }],
  ['connectors', { type: 'iqn', connector_id: 'iqn.2026-11.test:nowhere' }],
])('creating %s on a node that', (kind, body) => {
  const on = (who: Persona, node: string): Promise<Answer> =>
    askLatest(tenure, who, `POST /v1/volume/${kind}`, { ...body, node_uuid: node });

  it('is not visible answers as for a missing one', async () => {
    const { uuid } = await nodeWith({ owner: projectB });
    const missing = randomUUID();
    const expected = await on(managerA, missing);
    expect(expected.status).toBe(403);
    expect(seenIn(await on(managerA, uuid), uuid)).toEqual(seenIn(expected, missing));
  });

  it('is given by name is refused, whether there is one of that name or not', async () => {
    const { name } = await nodeWith({ owner: projectB });
    const missing = newProject('volume');
    const expected = await on(managerA, missing);
    expect(expected.status).toBe(400);
    expect(seenIn(await on(managerA, name), name)).toEqual(seenIn(expected, missing));
  });

  it('is visible to a caller who may not is refused', async () => {
    const { uuid } = await nodeWith({ owner: projectA, lessee: projectL });
    expect((await on(readerL, uuid)).status).toBe(403);
  });

  it('does not exist is reported to the system alone', async () => {
    const missing = randomUUID();
    expect((await on(systemAdmin, missing)).status).toBe(400);
  });
});
