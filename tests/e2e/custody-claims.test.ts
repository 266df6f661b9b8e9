import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { claimedToken } from '../support/claimed-token.js';
import { availableNode, type FleetNode } from '../support/fleet.js';
import { type Answer, askLatest, faultString } from '../support/http-client.js';
import { connectorOn, portOn, targetOn } from '../support/node-parts.js';
import { replaces } from '../support/patch.js';
import { inProject, newProject, type Persona, systemAdmin } from '../support/personas.js';
import { sharedTenure, type Tenure } from '../support/tenure.js';

// The attacker has what a project has: a machine of its own, and the ids of another project's VIFs, volumes and initiators.

const victim = newProject('victim');
const thief = newProject('thief');
const victims = inProject(victim, 'manager');
const thiefs = inProject(thief, 'manager');

let tenure: Tenure;
let victimsNode: FleetNode;
let thiefsNode: FleetNode;

beforeAll(async () => {
  tenure = await sharedTenure();
  victimsNode = availableNode(newProject('custody'), { owner: victim });
  thiefsNode = availableNode(newProject('custody'), { owner: thief });
  const ports = [victimsNode, victimsNode, thiefsNode, thiefsNode].map((node) => portOn(node));
  await tenure.importDocument({ nodes: [victimsNode, thiefsNode], ports });
});

const attach = (who: Persona, node: FleetNode, id: string): Promise<Answer> =>
  askLatest(tenure, who, `POST /v1/nodes/${node.uuid}/vifs`, { id });
const detach = (who: Persona, node: FleetNode, id: string): Promise<Answer> =>
  askLatest(tenure, who, `DELETE /v1/nodes/${node.uuid}/vifs/${id}`);

let boots = 100;
function use(who: Persona, node: FleetNode, volume: string): Promise<Answer> {
  boots += 1;
  return askLatest(tenure, who, 'POST /v1/volume/targets', {
    node_uuid: node.uuid,
    volume_type: 'iscsi',
    boot_index: boots,
    volume_id: volume,
  });
}
const registered = (who: Persona, node: FleetNode, type: string, id: string): Promise<Answer> =>
  askLatest(tenure, who, 'POST /v1/volume/connectors', {
    node_uuid: node.uuid,
    type,
    connector_id: id,
  });
const uuidOf = ({ json }: Answer): string => (json as { readonly uuid: string }).uuid; // of what was created
const refusalOf = ({ status, text }: Answer): readonly unknown[] => [status, faultString(text)];
const refused = (field: string): readonly unknown[] => [
  400,
  `Unable to apply the requested ${field}. Requested value was invalid.`,
];
const claimsOf = async (project: string): Promise<unknown> =>
  JSON.parse(await tenure.cli('claims', 'list', '--project', project, '--json'));

describe('another project’s resource under another spelling', () => {
  it('is the same UUID without hyphens, in braces, and as a URN', async () => {
    const id = randomUUID();
    expect((await use(victims, victimsNode, id)).status).toBe(201);
    for (const spelling of [id.replaceAll('-', ''), `{${id.toUpperCase()}}`, `urn:uuid:${id}`])
      expect(refusalOf(await use(thiefs, thiefsNode, spelling))).toEqual(refused('volume_id'));
    expect((await attach(victims, victimsNode, id)).status).toBe(204);
    expect((await attach(thiefs, thiefsNode, id.replaceAll('-', ''))).status).toBe(400);
    expect((await detach(victims, victimsNode, id.replaceAll('-', ''))).status).toBe(204);
  });

  it('is the same VIF: in what is attached, listed, detached and refused', async () => {
    const vif = randomUUID();
    expect((await attach(victims, victimsNode, vif.toUpperCase())).status).toBe(204);
    const list = await askLatest(tenure, victims, `GET /v1/nodes/${victimsNode.uuid}/vifs`);
    expect(list.json).toEqual({ vifs: [{ id: vif }] });
    for (const spelling of [vif, vif.toUpperCase()])
      expect(refusalOf(await attach(thiefs, thiefsNode, spelling))).toEqual([
        400,
        `VIF ${vif} cannot be attached to node ${thiefsNode.uuid}.`,
      ]);
    expect((await detach(victims, victimsNode, vif.toUpperCase())).status).toBe(204);
  });

  it('is the same volume, or none at all', async () => {
    const volume = randomUUID();
    expect((await use(victims, victimsNode, volume)).status).toBe(201);
    expect(refusalOf(await use(thiefs, thiefsNode, volume.toUpperCase()))).toEqual(
      refused('volume_id'),
    );
    for (const id of [` ${volume}`, `${volume} `, `${volume}\u200b`, `${volume}\ufeff`, 'v\n']) {
      const answer = await use(thiefs, thiefsNode, id);
      expect(refusalOf(answer)).toEqual([400, expect.stringContaining('/volume_id')]);
    }
  });

  it('is the same initiator', async () => {
    const iqn = `iqn.2026-11.example:${randomUUID()}`;
    expect((await registered(victims, victimsNode, 'iqn', iqn)).status).toBe(201);
    expect((await registered(thiefs, thiefsNode, 'iqn', iqn.toUpperCase())).status).toBe(409);
    expect((await registered(thiefs, thiefsNode, 'iqn', `${iqn}\u00ad`)).status).toBe(400);
  });
});

describe('what was imported', () => {
  it('is the project’s that has the machine', async () => {
    const [vif, volume] = [randomUUID(), randomUUID()];
    const iqn = `iqn.2026-11.example:${randomUUID()}`;
    const node = availableNode(newProject('custody'), { owner: victim });
    await tenure.importDocument({
      nodes: [node],
      ports: [portOn(node, { internal_info: { tenant_vif_port_id: vif } })],
      volume_targets: [targetOn(node, { volume_id: volume })],
      volume_connectors: [connectorOn(node, { connector_id: iqn })],
    });
    expect((await attach(thiefs, thiefsNode, vif)).status).toBe(400);
    expect(refusalOf(await use(thiefs, thiefsNode, volume))).toEqual(refused('volume_id'));
    expect((await registered(thiefs, thiefsNode, 'iqn', iqn)).status).toBe(409);
    const own = targetOn(thiefsNode);
    await tenure.importDocument({ nodes: [], volume_targets: [own] });
    const patch = replaces('volume_id', volume);
    const taken = await askLatest(tenure, thiefs, `PATCH /v1/volume/targets/${own.uuid}`, patch);
    expect(refusalOf(taken)).toEqual(refused('volume_id'));
    expect((await use(victims, victimsNode, volume)).status).toBe(201);
    expect(await claimsOf(victim)).toEqual(
      expect.arrayContaining(
        [vif, volume, iqn].map((id) => expect.objectContaining({ id, in_use: true })),
      ),
    );
  });

  it('stays the project’s when another one leases the machine', async () => {
    const [vif, volume] = [randomUUID(), randomUUID()];
    const node = availableNode(newProject('custody'), { owner: victim });
    await tenure.importDocument({
      nodes: [node],
      ports: [portOn(node, { internal_info: { tenant_vif_port_id: vif } })],
      volume_targets: [targetOn(node, { volume_id: volume })],
    });
    const lend = replaces('lessee', thief);
    expect((await askLatest(tenure, victims, `PATCH /v1/nodes/${node.uuid}`, lend)).status).toBe(
      200,
    );
    expect(refusalOf(await use(thiefs, thiefsNode, volume))).toEqual(refused('volume_id'));
    expect(await claimsOf(victim)).toEqual(
      expect.arrayContaining(
        [vif, volume].map((id) => expect.objectContaining({ id, in_use: true })),
      ),
    );
  });

  it('on a machine that nobody has is a project’s once that has the machine', async () => {
    const volume = randomUUID();
    const node = availableNode(newProject('custody'));
    await tenure.importDocument({
      nodes: [node],
      volume_targets: [targetOn(node, { volume_id: volume })],
    });
    expect(refusalOf(await use(thiefs, thiefsNode, volume))).toEqual(refused('volume_id'));
    const give = [{ op: 'add', path: '/owner', value: victim }];
    expect(
      (await askLatest(tenure, systemAdmin, `PATCH /v1/nodes/${node.uuid}`, give)).status,
    ).toBe(200);
    expect(refusalOf(await use(thiefs, thiefsNode, volume))).toEqual(refused('volume_id'));
    expect((await use(victims, victimsNode, volume)).status).toBe(201);
  });

  it('is refused with an id that nobody can have, and says which row and field', async () => {
    const node = availableNode(newProject('custody'), { owner: `${victim} ` });
    await expect(tenure.importDocument({ nodes: [node] })).rejects.toThrow(/owner/u);
    const good = { ...node, owner: victim };
    const target = targetOn(good, { volume_id: 'v\u200b' });
    await expect(
      tenure.importDocument({ nodes: [good], volume_targets: [target] }),
    ).rejects.toThrow(/volume_id/u);
  });
});

describe('squatting', () => {
  it('leaves nothing behind once the resource is released', async () => {
    const [vif, volume] = [randomUUID(), randomUUID()];
    const iqn = `iqn.2026-11.example:${randomUUID()}`;
    expect((await attach(thiefs, thiefsNode, vif)).status).toBe(204);
    expect((await detach(thiefs, thiefsNode, vif)).status).toBe(204);
    const target = await use(thiefs, thiefsNode, volume);
    const connector = await registered(thiefs, thiefsNode, 'iqn', iqn);
    for (const [kind, made] of [
      ['targets', target],
      ['connectors', connector],
    ] as const) {
      const path = `/v1/volume/${kind}/${uuidOf(made)}`;
      expect((await askLatest(tenure, thiefs, `DELETE ${path}`)).status).toBe(204);
    }
    const left = JSON.stringify(await claimsOf(thief));
    expect([vif, volume, iqn].filter((id) => left.includes(id))).toEqual([]);
    expect((await attach(victims, victimsNode, vif)).status).toBe(204);
    expect((await detach(victims, victimsNode, vif)).status).toBe(204);
    expect((await use(victims, victimsNode, volume)).status).toBe(201);
    expect((await registered(victims, victimsNode, 'iqn', iqn)).status).toBe(201);
  });

  it('on a machine in use is the operator’s to see, and not to end without force', async () => {
    const volume = `Volume-${randomUUID()}`;
    expect((await use(thiefs, thiefsNode, volume)).status).toBe(201);
    expect(await tenure.cli('claims', 'show', 'volume', volume)).toContain(`project: ${thief}`);
    const table = await tenure.cli('claims', 'list', '--kind', 'volume', '--project', thief);
    expect(table.split('\n')[0]).toMatch(/^KIND +ID +PROJECT +USED BY$/u);
    expect(table).toMatch(new RegExp(`^volume +${volume} +${thief} +volume_targets/`, 'mu'));
    await expect(tenure.cli('claims', 'release', 'volume', volume)).rejects.toThrow('is in use');
    expect(await tenure.cli('claims', 'release', 'volume', volume, '--force')).toBe(
      'released: 1\n',
    );
  });
});

describe('an id of a project or user that cannot be distinguished from another', () => {
  const BAD = [
    ['a blank', ' '],
    ['a blank before it', ` ${victim}`],
    ['a blank after it', `${victim} `],
    ['a character without width', `${victim}\u200b`],
    ['a newline', `${victim}\n`],
    ['an escape', `\u001b[2J${victim}`],
  ] as const;

  it.each(BAD)('is taken from no token: %s', async (_what, id) => {
    for (const claims of [{ project_id: id }, { project_id: victim, sub: id }]) {
      const token = claimedToken(tenure, { roles: ['admin'], ...claims });
      const { status } = await fetch(`${tenure.url}/v1/nodes`, {
        headers: { 'X-Auth-Token': token },
      });
      expect(status).toBe(401);
    }
  });

  it.each(BAD)('is written to no field, which the answer names: %s', async (_what, id) => {
    const path = `PATCH /v1/nodes/${victimsNode.uuid}`;
    const body = { driver: 'fake-hardware' };
    const lease = { node_uuid: victimsNode.uuid, end_time: '2030-01-01T00:00:00Z' };
    const asks = [
      ['/lessee', askLatest(tenure, victims, path, replaces('lessee', id))],
      ['/owner', askLatest(tenure, systemAdmin, path, replaces('owner', id))],
      ['/owner', askLatest(tenure, systemAdmin, 'POST /v1/nodes', { ...body, owner: id })],
      ['/lessee', askLatest(tenure, systemAdmin, 'POST /v1/nodes', { ...body, lessee: id })],
      [
        '/owner',
        askLatest(tenure, systemAdmin, 'POST /v1/allocations', { resource_class: 'x', owner: id }),
      ],
      ['/lessee', askLatest(tenure, victims, 'POST /v1/leases', { ...lease, lessee: id })],
    ] as const;
    for (const [field, answer] of asks)
      expect(refusalOf(await answer)).toEqual([400, expect.stringContaining(field)]);
  });

  it('is given to nobody by `tenure token`', async () => {
    await expect(
      tenure.cli('token', '--user', 'u', '--project', ' a', '--role', 'admin'),
    ).rejects.toThrow('--project: an id has');
  });
});
