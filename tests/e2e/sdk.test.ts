import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Clients, startClients } from '../support/clients.js';
import { availableNode, stableNode } from '../support/fleet.js';
import { inProject, newProject } from '../support/personas.js';
import { sharedTenure, type Tenure } from '../support/tenure.js';

// openstacksdk, as nova-compute and Ansible use it.

const project = newProject('sdk');
const bigProject = newProject('sdk-big');
const member = inProject(project, 'member');
const reader = inProject(project, 'reader');
const stranger = inProject(newProject('sdk-stranger'), 'admin');
const bigReader = inProject(bigProject, 'reader');

const resourceClass = `class-${project}`;
const first = availableNode(`${project}-a`, { owner: project, resource_class: resourceClass });
const second = availableNode(`${project}-b`, { lessee: project, owner: newProject('landlord') });
const manyNames = Array.from(
  { length: 1203 },
  (_, n) => `${bigProject}-${String(n).padStart(4, '0')}`,
);

// Every second of the many is of a class of its own.
const isOdd = (name: string): boolean => Number(name.slice(-4)) % 2 === 1;
const oddNames = manyNames.filter(isOdd);

let tenure: Tenure;
let clients: Clients;

beforeAll(async () => {
  tenure = await sharedTenure();
  clients = startClients(tenure);
  await tenure.importDocument({
    nodes: [
      first,
      second,
      ...manyNames.map((name) =>
        availableNode(name, {
          owner: bigProject,
          ...(isOdd(name) ? { resource_class: `odd-${bigProject}` } : {}),
        }),
      ),
    ],
  });
});

afterAll(() => {
  clients.stop();
});

describe('openstacksdk', () => {
  it('lists the nodes of a project: owned and leased', async () => {
    const { result, error } = await clients.sdk(
      reader,
      'result = sorted(n.id for n in conn.baremetal.nodes())',
    );
    expect(error).toBeNull();
    expect(result).toEqual([first.uuid, second.uuid].toSorted());
  });

  it('lists details, with owner and lessee', async () => {
    const { result } = await clients.sdk(
      reader,
      `result = [(n.name, n.owner, n.lessee) for n in conn.baremetal.nodes(details=True) if n.id == '${first.uuid}']`,
    );
    expect(result).toEqual([[first.name, project, null]]);
  });

  it('gets a node by id and by name', async () => {
    const { result } = await clients.sdk(
      reader,
      `result = [conn.baremetal.get_node('${first.uuid}').name, conn.baremetal.get_node('${first.name}').id]`,
    );
    expect(result).toEqual([first.name, first.uuid]);
  });

  it('gets chosen fields', async () => {
    const { result } = await clients.sdk(
      reader,
      `n = conn.baremetal.get_node('${first.uuid}', fields=['uuid', 'power_state', 'resource_class']); result = [n.id, n.power_state, n.resource_class]`,
    );
    expect(result).toEqual([first.uuid, 'power off', resourceClass]);
  });

  it('finds neither a missing node nor an invisible one', async () => {
    const { result } = await clients.sdk(
      stranger,
      `result = [conn.baremetal.find_node('nothing-of-the-kind'), conn.baremetal.find_node('${first.name}'), conn.baremetal.find_node('${first.uuid}')]`,
    );
    expect(result).toEqual([null, null, null]);
  });

  it('raises NotFound for both', async () => {
    const missing = await clients.sdk(stranger, `conn.baremetal.get_node('${randomUUID()}')`);
    const invisible = await clients.sdk(stranger, `conn.baremetal.get_node('${first.uuid}')`);
    expect(missing.error).toMatchObject({ type: 'NotFoundException', status: 404 });
    expect(invisible.error).toMatchObject({ type: 'NotFoundException', status: 404 });
  });

  it('sets the power state and waits for it', async () => {
    const { result, error } = await clients.sdk(
      member,
      `conn.baremetal.set_node_power_state('${first.uuid}', 'power on', wait=True, timeout=30); result = conn.baremetal.get_node('${first.uuid}').power_state`,
    );
    expect(error).toBeNull();
    expect(result).toBe('power on');
    expect(await stableNode(tenure, first.uuid)).toMatchObject({
      power_state: 'power on',
      last_error: null,
    });
    await clients.sdk(
      member,
      `conn.baremetal.set_node_power_state('${first.uuid}', 'power off', wait=True, timeout=30)`,
    );
  });

  it('raises Forbidden when a reader sets the power state', async () => {
    const { error } = await clients.sdk(
      reader,
      `conn.baremetal.set_node_power_state('${first.uuid}', 'power off')`,
    );
    expect(error).toMatchObject({ type: 'ForbiddenException', status: 403 });
    expect(error?.message).toContain('baremetal:node:set_power_state');
  });

  it('updates a node with a patch', async () => {
    const { result, error } = await clients.sdk(
      member,
      `result = conn.baremetal.update_node('${first.uuid}', extra={'rack': 'r1'}).extra`,
    );
    expect(error).toBeNull();
    expect(result).toEqual({ rack: 'r1' });
  });

  it('sets and clears maintenance', async () => {
    const { result, error } = await clients.sdk(
      member,
      [
        `conn.baremetal.set_node_maintenance('${first.uuid}', reason='fan')`,
        `n = conn.baremetal.get_node('${first.uuid}')`,
        'result = [n.is_maintenance, n.maintenance_reason]',
        `conn.baremetal.unset_node_maintenance('${first.uuid}')`,
        `result.append(conn.baremetal.get_node('${first.uuid}').is_maintenance)`,
      ].join('\n'),
    );
    expect(error).toBeNull();
    expect(result).toEqual([true, 'fan', false]);
  });

  it('creates an allocation, waits for it, and deletes it', async () => {
    const { result, error } = await clients.sdk(
      member,
      [
        `a = conn.baremetal.create_allocation(resource_class='${resourceClass}', name='${project}-al')`,
        'a = conn.baremetal.wait_for_allocation(a, timeout=20)',
        'result = [a.state, a.node_id, a.owner, a.name]',
        'conn.baremetal.delete_allocation(a)',
        `result.append([x.name for x in conn.baremetal.allocations()])`,
      ].join('\n'),
    );
    expect(error).toBeNull();
    expect(result).toEqual(['active', first.uuid, project, `${project}-al`, []]);
  });

  it('pages through 1,203 nodes, 1,000 at a time by default', async () => {
    const { result, error } = await clients.sdk(
      bigReader,
      'result = [n.name for n in conn.baremetal.nodes()]',
    );
    expect(error).toBeNull();
    expect((result as string[]).toSorted()).toEqual(manyNames);
  });

  it('pages through 1,203 nodes, 250 at a time', async () => {
    const { result, error } = await clients.sdk(
      bigReader,
      'result = [n.name for n in conn.baremetal.nodes(limit=250)]',
    );
    expect(error).toBeNull();
    expect((result as string[]).toSorted()).toEqual(manyNames);
  });

  it('pages through a filtered list, and keeps the filter on every page', async () => {
    const { result, error } = await clients.sdk(
      bigReader,
      `result = [n.name for n in conn.baremetal.nodes(limit=500, resource_class='odd-${bigProject}')]`,
    );
    expect(error).toBeNull();
    expect((result as string[]).toSorted()).toEqual(oddNames);
  });
});
