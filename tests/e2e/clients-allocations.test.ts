import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CommandLine, commandLine } from '../support/clients-command-line.js';
import { type Clients, startClients } from '../support/clients.js';
import { availableNode, nodeOf } from '../support/fleet.js';
import { inProject, newProject, systemAdmin, systemReader } from '../support/personas.js';
import { sharedTenure, type Tenure } from '../support/tenure.js';

// Allocations, created with python-ironicclient.

const project = newProject('alloc');
const tenant = newProject('alloc-tenant');
const owner = inProject(project, 'member');
const lessee = inProject(tenant, 'member');
const stranger = inProject(newProject('alloc-stranger'), 'admin');

const resourceClass = `class-${project}`;
const machine = (name: string, fields: Readonly<Record<string, unknown>> = {}) =>
  availableNode(`${project}-${name}`, {
    owner: project,
    resource_class: resourceClass,
    ...fields,
  });
const fast = machine('fast', { traits: ['CUSTOM_FAST'] });
const slow = machine('slow');
const leased = machine('leased', { lessee: tenant });
const used = machine('used', { provision_state: 'active', power_state: 'power on' });

let tenure: Tenure;
let clients: Clients;
let baremetal: CommandLine;

beforeAll(async () => {
  tenure = await sharedTenure();
  clients = startClients(tenure);
  baremetal = commandLine(clients);
  await tenure.importDocument({ nodes: [fast, slow, leased, used] });
});

afterAll(() => {
  clients.stop();
});

const create = (name: string, rest: string): string =>
  `allocation create --name ${project}-${name} ${rest}`;
const listed = async (persona: typeof owner, filter: string): Promise<string> =>
  (await baremetal.lines(persona, `allocation list ${filter} --sort name -f value -c Name`))
    .map((name) => name.replace(`${project}-`, ''))
    .join(' ');
const notFound = (ident: string): string =>
  `Nodes with the following name(s) or UUID(s) could not be found: ${ident} (HTTP 400)`;

describe('openstack baremetal allocation', () => {
  it('create finds a node by its traits, by candidates, or takes one in use', async () => {
    const ofClass = `--resource-class ${resourceClass} --wait 60`;
    for (const [persona, command, expected] of [
      [
        owner,
        create('a', `${ofClass} --trait CUSTOM_FAST --extra k=1`),
        { node_uuid: fast.uuid, traits: ['CUSTOM_FAST'], extra: { k: 1 }, owner: project },
      ],
      [
        owner,
        create('b', `${ofClass} --candidate-node ${slow.name}`),
        { node_uuid: slow.uuid, candidate_nodes: [slow.uuid], owner: project },
      ],
      [lessee, create('c', ofClass), { node_uuid: leased.uuid, owner: tenant }],
      [
        systemAdmin,
        create('d', `--node ${used.name} --owner ${project} --wait 60`),
        { node_uuid: used.uuid, owner: project },
      ],
    ] as const)
      expect(await baremetal.json(persona, command)).toMatchObject({
        ...expected,
        state: 'active',
        last_error: null,
      });
    expect(await nodeOf(tenure, leased.uuid)).toMatchObject({ owner: project, lessee: tenant });
  });

  it('create says why not', async () => {
    const failed = await baremetal.say(owner, create('e', '--resource-class none --wait 60'));
    expect(failed).toMatch(
      /^Allocation (\S+) failed: Failed to process allocation \1: no available nodes match the resource class none\.$/u,
    );
    const none = '--resource-class none';
    for (const [persona, rest, said] of [
      [owner, `${none} --candidate-node no-such`, notFound('no-such')],
      [stranger, `${none} --candidate-node ${slow.name}`, notFound(slow.name)],
      [stranger, `${none} --node ${used.name}`, notFound(used.name)],
      [
        owner,
        `${none} --owner ${tenant}`,
        'Access was denied to the following resource: baremetal:allocation:create_restricted (HTTP 403)',
      ],
    ] as const)
      expect([rest, await baremetal.say(persona, create('x', rest))]).toEqual([rest, said]);
  });

  it('list filters, and shows a project its own', async () => {
    for (const [persona, filter, names] of [
      [owner, '', 'a b d e'],
      [owner, '--state active', 'a b d'],
      [owner, '--state error', 'e'],
      [owner, `--resource-class ${resourceClass}`, 'a b d'],
      [owner, `--node ${fast.name}`, 'a'],
      [owner, `--owner ${project}`, 'a b d e'],
      [owner, `--owner ${tenant}`, ''],
      [owner, '--limit 2', 'a b'],
      [lessee, '', 'c'],
      [stranger, '', ''],
      [systemReader, `--owner ${tenant}`, 'c'],
      [systemReader, `--node ${leased.uuid}`, 'c'],
    ] as const)
      expect([filter, await listed(persona, filter)]).toEqual([filter, names]);
    expect(
      await baremetal.json(owner, 'allocation list --fields name state --limit 1'),
    ).toHaveLength(1);
  });

  it('show, set, unset and delete', async () => {
    const [name, renamed] = [`${project}-a`, `${project}-z`];
    for (const change of [
      `allocation set ${name} --name ${renamed} --extra l=2`,
      `allocation unset ${renamed} --extra k`,
    ])
      expect([change, await baremetal.say(owner, change)]).toEqual([change, 'ok']);
    expect(
      await baremetal.json(owner, `allocation show ${renamed} --fields name extra node_uuid`),
    ).toEqual({ name: renamed, extra: { l: 2 }, node_uuid: fast.uuid });
    expect(await baremetal.say(lessee, `allocation show ${renamed}`)).toBe(
      `Allocation ${renamed} could not be found. (HTTP 404)`,
    );
    expect(await baremetal.say(systemReader, `allocation delete ${renamed}`)).toBe(
      // The client has two spaces here.
      `Failed to delete allocation ${renamed}:  Access was denied to the following resource: baremetal:allocation:delete (HTTP 403)`,
    );
    expect(await baremetal.lines(owner, `allocation delete ${renamed}`)).toEqual([
      `Deleted allocation ${renamed}`,
    ]);
    expect(await nodeOf(tenure, fast.uuid)).toMatchObject({
      allocation_uuid: null,
      instance_uuid: null,
    });
  });
});
