import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  NO_OBLIGATIONS,
  type NodeRecord,
  type PolicyFilter,
  type Subject,
} from '@tenure/contracts';
import { newCallContext } from '@tenure/signed-context';
import { aNode } from '@tenure/testing';
import { ConductorHarness } from '../testing/conductor-harness.js';
import { aboutNode } from './about-node.js';

let harness: ConductorHarness;
let node: NodeRecord;

beforeEach(() => {
  harness = new ConductorHarness();
  node = harness.inventory.put(aNode({ provision_state: 'active' }));
});

afterEach(async () => {
  await harness.close();
});

const ALL: PolicyFilter = { mode: 'all', predicates: [] };
const onlyOf = (...projects: readonly string[]): PolicyFilter => ({
  mode: 'any_of',
  predicates: [
    { field: 'owner', op: 'eq', value: 'project-b' },
    ...projects.map((value) => ({ field: 'project_id', op: 'eq' as const, value })),
  ],
});

const subjectOf = (project: string | null): Subject => ({
  user_id: 'u',
  project_id: project,
  system_scope: project === null ? 'all' : null,
  domain_id: null,
  roles: ['manager'],
});

const context = (filter: PolicyFilter, project: string | null = null, on = node) => ({
  ...aboutNode(newCallContext('baremetal:node:vif:attach'), on),
  subject: subjectOf(project),
  obligations: { ...NO_OBLIGATIONS, filter },
});

interface Request {
  readonly filter?: PolicyFilter;
  readonly project?: string | null;
  readonly chosen?: { readonly kind: 'ports' | 'portgroups'; readonly uuid: string };
  readonly on?: NodeRecord;
}

const attach = (
  vif: string,
  { filter = ALL, project = null, chosen, on = node }: Request = {},
): Promise<void> =>
  harness.conductor.vifs.attach(context(filter, project, on), on.uuid, { vif, chosen });

const attached = (uuid: string): unknown =>
  harness.parts.port(uuid).internal_info['tenant_vif_port_id'];

describe('a VIF', () => {
  it('is attached to a port under the lock, listed, and detached', async () => {
    const port = harness.parts.put('ports', node.uuid, { internal_info: { other: 1 } });
    await attach('vif-1');
    expect(harness.parts.port(port.uuid).internal_info).toEqual({
      other: 1,
      tenant_vif_port_id: 'vif-1',
    });
    expect(await harness.conductor.vifs.list(context(ALL), node.uuid)).toEqual(['vif-1']);
    await harness.conductor.vifs.detach(context(ALL), node.uuid, 'vif-1');
    expect(harness.parts.port(port.uuid).internal_info).toEqual({ other: 1 });
    expect(harness.inventory.node(node.uuid)).toMatchObject({ reservation: null, fence: 2 });
  });

  it('goes to a portgroup before a port, and to what boots before what does not', async () => {
    const plain = harness.parts.put('ports', node.uuid, { pxe_enabled: false });
    const boots = harness.parts.put('ports', node.uuid);
    const empty = harness.parts.put('portgroups', node.uuid);
    const group = harness.parts.put('portgroups', node.uuid);
    const member = harness.parts.put('ports', node.uuid, { portgroup_uuid: group.uuid });
    await attach('vif-1');
    await attach('vif-2');
    await attach('vif-3');
    expect([attached(group.uuid), attached(boots.uuid), attached(plain.uuid)]).toEqual([
      'vif-1',
      'vif-2',
      'vif-3',
    ]);
    expect([attached(empty.uuid), attached(member.uuid)]).toEqual([undefined, undefined]);
    await expect(attach('vif-4')).rejects.toMatchObject({
      status: 400,
      message: 'Unable to attach VIF vif-4, not enough free physical ports.',
    });
  });

  it('goes where the caller says, if that is free', async () => {
    const first = harness.parts.put('ports', node.uuid);
    const second = harness.parts.put('ports', node.uuid);
    await attach('vif-1', { chosen: { kind: 'ports', uuid: second.uuid } });
    expect([attached(first.uuid), attached(second.uuid)]).toEqual([undefined, 'vif-1']);
    await expect(
      attach('vif-2', { chosen: { kind: 'ports', uuid: second.uuid } }),
    ).rejects.toMatchObject({
      status: 400,
      message: 'Unable to attach VIF vif-2, not enough free physical ports.',
    });
  });

  it("does not go to another node's port, nor to none, with the same answer", async () => {
    const other = harness.inventory.put(aNode());
    const foreign = harness.parts.put('ports', other.uuid);
    harness.parts.put('ports', node.uuid);
    const expected = {
      status: 400,
      message: `VIF vif-1 cannot be attached to node ${node.uuid}.`,
    };
    for (const uuid of [foreign.uuid, '99999999-9999-4999-8999-999999999999'])
      await expect(attach('vif-1', { chosen: { kind: 'ports', uuid } })).rejects.toMatchObject(
        expected,
      );
    expect(harness.parts.claims.size).toBe(0);
    expect(harness.inventory.node(node.uuid).reservation).toBeNull();
  });

  it('is attached once: here, or on another node', async () => {
    harness.parts.put('ports', node.uuid);
    const other = harness.inventory.put(aNode());
    harness.parts.put('ports', other.uuid);
    await attach('vif-1');
    for (const on of [node, other]) {
      await expect(attach('vif-1', { on })).rejects.toMatchObject({
        status: 409,
        message: expect.stringMatching(
          /^Unable to attach VIF because VIF vif-1 is already attached to Ironic Port /u,
        ),
      });
      expect(harness.inventory.node(on.uuid).reservation).toBeNull();
    }
  });

  it('that is not attached cannot be detached', async () => {
    await expect(
      harness.conductor.vifs.detach(context(ALL), node.uuid, 'vif-1'),
    ).rejects.toMatchObject({
      status: 400,
      message: `Unable to detach VIF vif-1 from node ${node.uuid} because it is not attached to it.`,
    });
    expect(harness.inventory.node(node.uuid).reservation).toBeNull();
  });

  it('is not listed under a decision on another tenancy', async () => {
    const stale = context(ALL);
    harness.inventory.put({ ...node, tenancy_revision: 2 });
    await expect(harness.conductor.vifs.list(stale, node.uuid)).rejects.toMatchObject({
      status: 412,
    });
  });

  it('waits for the lock', async () => {
    harness.inventory.put({ ...node, reservation: 'other' });
    await expect(attach('vif-1')).rejects.toMatchObject({ status: 409, code: 'node_locked' });
  });
});

describe('whose VIF it is', () => {
  const refused = (vif: string) => ({
    status: 400,
    message: `VIF ${vif} cannot be attached to node ${node.uuid}.`,
  });

  beforeEach(() => {
    harness.parts.put('ports', node.uuid);
  });

  it("is the caller's, when the caller may use its own only", async () => {
    await attach('vif-1', { filter: onlyOf('project-b'), project: 'project-b' });
    expect(harness.parts.claims.get('vif-1')).toBe('project-b');
  });

  it.each([
    ['the owner of the node', { lessee: null }, 'project-a'],
    ['the lessee, where there is one', { lessee: 'project-c' }, 'project-c'],
  ])('is %s, for a caller who may use any', async (_who, fields, project) => {
    node = harness.inventory.put({ ...node, ...fields });
    await attach('vif-1');
    expect(harness.parts.claims.get('vif-1')).toBe(project);
  });

  it('is none, on an unowned node', async () => {
    node = harness.inventory.put({ ...node, owner: null });
    await attach('vif-1');
    expect(harness.parts.claims.size).toBe(0);
  });

  it('decides: a foreign one is refused without a word of where it is', async () => {
    const other = harness.inventory.put(aNode());
    harness.parts.put('ports', other.uuid);
    await attach('vif-1', { on: other });
    await expect(
      attach('vif-1', { filter: onlyOf('project-b'), project: 'project-b' }),
    ).rejects.toMatchObject(refused('vif-1'));
    expect(harness.parts.claims.get('vif-1')).toBe('project-a');
  });

  it.each([
    ['none', { mode: 'none', predicates: [] }],
    ['any_of without a project', onlyOf()],
  ] as const)('is nobody the caller may speak for, with the filter %s', async (_name, filter) => {
    await expect(
      attach('vif-1', { filter: filter as PolicyFilter, project: 'project-b' }),
    ).rejects.toMatchObject(refused('vif-1'));
    expect(harness.parts.claims.size).toBe(0);
  });

  it('is the first that attaches it, even between check and attachment', async () => {
    const other = harness.inventory.put(aNode());
    const theirs = harness.parts.put('ports', other.uuid);
    harness.parts.beforeChange = () => {
      harness.parts.claims.set('vif-1', 'project-z');
      harness.parts.put('ports', other.uuid, {
        uuid: theirs.uuid,
        internal_info: { tenant_vif_port_id: 'vif-1' },
      });
    };
    await expect(
      attach('vif-1', { filter: onlyOf('project-b'), project: 'project-b' }),
    ).rejects.toMatchObject(refused('vif-1'));
  });

  it('ends with the detach', async () => {
    await attach('vif-1', { filter: onlyOf('project-b'), project: 'project-b' });
    await harness.conductor.vifs.detach(context(ALL), node.uuid, 'vif-1');
    expect(harness.parts.claims.size).toBe(0);
  });

  it.each([
    ['a system caller', { filter: ALL }],
    ['a project', { filter: onlyOf('project-b'), project: 'project-b' }],
  ])('has no owner when there is no such VIF, not even for %s', async (_who, request) => {
    Object.assign(harness.parts.registry, { ownerOf: () => Promise.resolve({ kind: 'missing' }) });
    await expect(attach('vif-1', request)).rejects.toMatchObject(refused('vif-1'));
  });

  it("is the operator's on a machine that nobody has", async () => {
    Object.assign(harness.parts.registry, { ownerOf: () => Promise.resolve({ kind: 'operator' }) });
    const request = { filter: onlyOf('project-b'), project: 'project-b' };
    await expect(attach('vif-1', request)).rejects.toMatchObject(refused('vif-1'));
    await attach('vif-1');
  });

  it('does not matter to a caller who may use any', async () => {
    harness.parts.claims.set('vif-1', 'project-z');
    await attach('vif-1');
    expect(await harness.conductor.vifs.list(context(ALL), node.uuid)).toEqual(['vif-1']);
  });
});
