import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Clients, type OscResult, startClients } from '../support/clients.js';
import { availableNode, nodeOf, stableNode } from '../support/fleet.js';
import {
  inProject,
  newProject,
  type Persona,
  systemAdmin,
  systemReader,
} from '../support/personas.js';
import { sharedTenure, type Tenure } from '../support/tenure.js';
import { eventually } from '../support/wait.js';

// python-openstackclient with python-ironicclient, unchanged, against the gateway.
// Each cell of the table below has a node (or an allocation) of its own, owned by one project and leased to another,
// so that no cell sees what another did.

const ownerProject = newProject('owner');
const lesseeProject = newProject('lessee');
const thirdProject = newProject('third');

const personas = {
  systemAdmin,
  systemReader,
  ownerAdmin: inProject(ownerProject, 'admin'),
  ownerMember: inProject(ownerProject, 'member'),
  ownerReader: inProject(ownerProject, 'reader'),
  lesseeAdmin: inProject(lesseeProject, 'admin'),
  lesseeMember: inProject(lesseeProject, 'member'),
  lesseeReader: inProject(lesseeProject, 'reader'),
  thirdAdmin: inProject(thirdProject, 'admin'),
} as const satisfies Readonly<Record<string, Persona>>;
type Who = keyof typeof personas;
const who = Object.keys(personas) as readonly Who[];

/** `ok`: done. 403: seen, but may not. 404: not seen, so it looks like a missing one. */
type Outcome = 'ok' | 403 | 404;

interface Row {
  readonly command: string;
  readonly argv: (target: string, cell: string) => readonly string[];
  readonly on: 'node' | 'allocation' | 'nothing';
  /** In the order of the personas above. */
  readonly outcomes: readonly [
    Outcome,
    Outcome,
    Outcome,
    Outcome,
    Outcome,
    Outcome,
    Outcome,
    Outcome,
    Outcome,
  ];
}

const node = ['baremetal', 'node'] as const;
const allocation = ['baremetal', 'allocation'] as const;

// oxfmt-ignore
const table: readonly Row[] = [
  //                                                                                                                                          sysA  sysR  ownA  ownM  ownR  lesA  lesM  lesR  3rdA
  { command: 'node show',             on: 'node',       argv: (id) => [...node, 'show', id, '-f', 'json'],                          outcomes: ['ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 404] },
  { command: 'node create',           on: 'nothing',    argv: (_, cell) => [...node, 'create', '--driver', 'fake-hardware', '--name', `made-${cell}`], outcomes: ['ok', 403, 403, 403, 403, 403, 403, 403, 403] },
  { command: 'node set --owner',      on: 'node',       argv: (id) => [...node, 'set', id, '--owner', 'new-owner'],                 outcomes: ['ok', 403, 403, 403, 403, 403, 403, 403, 404] },
  { command: 'node unset --owner',    on: 'node',       argv: (id) => [...node, 'unset', id, '--owner'],                            outcomes: ['ok', 403, 403, 403, 403, 403, 403, 403, 404] },
  { command: 'node set --lessee',     on: 'node',       argv: (id) => [...node, 'set', id, '--lessee', 'new-lessee'],               outcomes: ['ok', 403, 'ok', 'ok', 403, 403, 403, 403, 404] },
  { command: 'node unset --lessee',   on: 'node',       argv: (id) => [...node, 'unset', id, '--lessee'],                           outcomes: ['ok', 403, 'ok', 'ok', 403, 403, 403, 403, 404] },
  { command: 'node power on',         on: 'node',       argv: (id) => [...node, 'power', 'on', id],                                 outcomes: ['ok', 403, 'ok', 'ok', 403, 'ok', 'ok', 403, 404] },
  { command: 'node power off',        on: 'node',       argv: (id) => [...node, 'power', 'off', id],                                outcomes: ['ok', 403, 'ok', 'ok', 403, 'ok', 'ok', 403, 404] },
  { command: 'node maintenance set',  on: 'node',       argv: (id) => [...node, 'maintenance', 'set', id, '--reason', 'disk'],      outcomes: ['ok', 403, 'ok', 'ok', 403, 403, 403, 403, 404] },
  { command: 'node maintenance unset', on: 'node',      argv: (id) => [...node, 'maintenance', 'unset', id],                        outcomes: ['ok', 403, 'ok', 'ok', 403, 403, 403, 403, 404] },
  { command: 'node delete',           on: 'node',       argv: (id) => [...node, 'delete', id],                                      outcomes: ['ok', 403, 403, 403, 403, 403, 403, 403, 404] },
  { command: 'allocation create',     on: 'nothing',    argv: (_, cell) => [...allocation, 'create', '--resource-class', 'none-of-it', '--name', `made-${cell}`], outcomes: ['ok', 403, 'ok', 'ok', 403, 'ok', 'ok', 403, 'ok'] },
  { command: 'allocation show',       on: 'allocation', argv: (id) => [...allocation, 'show', id, '-f', 'json'],                    outcomes: ['ok', 'ok', 'ok', 'ok', 'ok', 404, 404, 404, 404] },
  { command: 'allocation delete',     on: 'allocation', argv: (id) => [...allocation, 'delete', id],                                outcomes: ['ok', 403, 'ok', 'ok', 403, 404, 404, 404, 404] },
];

interface Cell {
  readonly row: Row;
  readonly persona: Who;
  readonly expected: Outcome;
  readonly name: string;
  readonly uuid: string;
}

const cells: readonly Cell[] = table.flatMap((row, line) =>
  who.map((persona, column) => ({
    row,
    persona,
    expected: row.outcomes[column] ?? 404,
    name: `${ownerProject}-${String(line)}-${String(column)}`,
    uuid: randomUUID(),
  })),
);

let tenure: Tenure;
let clients: Clients;

const fixtureNode = (name: string, fields: Readonly<Record<string, unknown>> = {}): object =>
  availableNode(name, {
    owner: ownerProject,
    lessee: lesseeProject,
    driver_info: { address: 'bmc.example', password: 'hunter2' },
    ...fields,
  });

const theNode = availableNode(`${ownerProject}-one`, {
  owner: ownerProject,
  lessee: lesseeProject,
  last_error: 'boom',
  driver_info: { address: 'bmc.example', password: 'hunter2' },
});

beforeAll(async () => {
  tenure = await sharedTenure();
  clients = startClients(tenure);
  await tenure.importDocument({
    nodes: [
      theNode,
      ...cells
        .filter(({ row }) => row.on === 'node')
        .map(({ name, uuid }) => fixtureNode(name, { uuid })),
    ],
    allocations: cells
      .filter(({ row }) => row.on === 'allocation')
      .map(({ name, uuid }) => ({
        uuid,
        name,
        owner: ownerProject,
        resource_class: 'none-of-it',
        state: 'error',
        last_error: 'nothing fits',
        node_uuid: null,
      })),
  });
});

afterAll(() => {
  clients.stop();
});

function outcomeOf({ code, stderr }: OscResult): string | number {
  if (code === 0 && stderr === '') return 'ok';
  const status = /\(HTTP (\d+)\)/.exec(stderr)?.[1];
  return status === '403' || status === '404' ? Number(status) : `exit ${String(code)}: ${stderr}`;
}

describe('the command line client', () => {
  it.each(
    cells.map(
      (cell) =>
        [
          `openstack baremetal ${cell.row.command} by ${cell.persona}: ${String(cell.expected)}`,
          cell,
        ] as const,
    ),
  )('%s', async (_, cell) => {
    const result = await clients.osc(
      personas[cell.persona],
      ...cell.row.argv(cell.name, cell.name),
    );
    expect(outcomeOf(result)).toBe(cell.expected);
  });

  it.each(
    cells
      .filter(({ expected, row }) => expected === 404 && row.on !== 'nothing')
      .map((cell) => [`${cell.row.command} by ${cell.persona}`, cell] as const),
  )(
    'says the same of an invisible resource as of a missing one: %s',
    async (_, { row, persona, name }) => {
      const missing = `${name}-missing`;
      const invisible = await clients.osc(personas[persona], ...row.argv(name, name));
      const absent = await clients.osc(personas[persona], ...row.argv(missing, missing));
      expect(invisible.stderr).toContain(name);
      // The client prints the request id, which is another for each request.
      const said = ({ stderr }: OscResult): string =>
        stderr.replaceAll(/req-[0-9a-f-]{36}/g, 'REQUEST');
      expect(said(absent).replaceAll(missing, name)).toBe(said(invisible));
      expect(absent.stdout).toBe(invisible.stdout);
      expect(absent.code).toBe(invisible.code);
    },
  );

  it.each([
    ['systemAdmin', true],
    ['systemReader', true],
    ['ownerAdmin', true],
    ['ownerMember', true],
    ['ownerReader', true],
    ['lesseeAdmin', true],
    ['lesseeMember', true],
    ['lesseeReader', true],
    ['thirdAdmin', false],
  ] as const)('lists the node to %s: %s', async (persona, listed) => {
    const { code, stdout } = await clients.osc(personas[persona], ...node, 'list', '-f', 'json');
    expect(code).toBe(0);
    expect(
      (JSON.parse(stdout) as { uuid: string }[]).some(({ uuid }) => uuid === theNode.uuid),
    ).toBe(listed);
  });

  it('lists to a project only what it owns or leases', async () => {
    const other = availableNode(`${thirdProject}-mine`, { owner: thirdProject });
    await tenure.importDocument({ nodes: [other] });
    const { stdout } = await clients.osc(
      personas.thirdAdmin,
      ...node,
      'list',
      '--fields',
      'uuid',
      'owner',
      'lessee',
      '-f',
      'json',
    );
    expect(JSON.parse(stdout)).toEqual([{ uuid: other.uuid, owner: thirdProject, lessee: null }]);
  });

  it('names the refused action to who may see but not act', async () => {
    const { stderr } = await clients.osc(
      personas.lesseeMember,
      ...node,
      'maintenance',
      'set',
      theNode.uuid,
    );
    expect(stderr).toContain('baremetal:node:set_maintenance');
  });

  it('shows driver_info with its password hidden to the owner, and empty to the lessee', async () => {
    const viewOf = async (persona: Persona): Promise<unknown> => {
      const { stdout } = await clients.osc(
        persona,
        ...node,
        'show',
        theNode.uuid,
        '--fields',
        'driver_info',
        'last_error',
        '-f',
        'json',
      );
      return JSON.parse(stdout);
    };
    expect(await viewOf(personas.ownerReader)).toEqual({
      driver_info: { address: 'bmc.example', password: '******' },
      last_error: 'boom',
    });
    expect(await viewOf(personas.lesseeReader)).toEqual({ driver_info: {}, last_error: null });
  });
});

describe('what the command line client did', () => {
  it('switches a node on and off', async () => {
    const machine = availableNode(`${ownerProject}-switch`, { owner: ownerProject });
    await tenure.importDocument({ nodes: [machine] });
    expect(
      outcomeOf(
        await clients.osc(
          personas.ownerMember,
          ...node,
          'power',
          'on',
          machine.name,
          '--power-timeout',
          '30',
        ),
      ),
    ).toBe('ok');
    expect(await stableNode(tenure, machine.uuid)).toMatchObject({
      power_state: 'power on',
      last_error: null,
    });
    expect(
      outcomeOf(await clients.osc(personas.ownerMember, ...node, 'power', 'off', machine.name)),
    ).toBe('ok');
    expect(await stableNode(tenure, machine.uuid)).toMatchObject({
      power_state: 'power off',
      last_error: null,
    });
  });

  it('sets and clears maintenance with its reason', async () => {
    const machine = availableNode(`${ownerProject}-care`, { owner: ownerProject });
    await tenure.importDocument({ nodes: [machine] });
    await clients.osc(
      personas.ownerMember,
      ...node,
      'maintenance',
      'set',
      machine.uuid,
      '--reason',
      'disk',
    );
    expect(await nodeOf(tenure, machine.uuid)).toMatchObject({
      maintenance: true,
      maintenance_reason: 'disk',
    });
    await clients.osc(personas.ownerMember, ...node, 'maintenance', 'unset', machine.uuid);
    expect(await nodeOf(tenure, machine.uuid)).toMatchObject({
      maintenance: false,
      maintenance_reason: null,
    });
  });

  it('gives a node to a lessee, who then sees it, and takes it back', async () => {
    const machine = availableNode(`${ownerProject}-lease`, { owner: ownerProject });
    await tenure.importDocument({ nodes: [machine] });
    const seen = async (): Promise<unknown> =>
      outcomeOf(await clients.osc(personas.lesseeReader, ...node, 'show', machine.uuid));
    expect(await seen()).toBe(404);
    expect(
      outcomeOf(
        await clients.osc(
          personas.ownerMember,
          ...node,
          'set',
          machine.uuid,
          '--lessee',
          lesseeProject,
        ),
      ),
    ).toBe('ok');
    expect(await seen()).toBe('ok');
    expect(
      outcomeOf(
        await clients.osc(personas.ownerMember, ...node, 'unset', machine.uuid, '--lessee'),
      ),
    ).toBe('ok');
    expect(await seen()).toBe(404);
  });

  it('moves a node to another owner, and the old one loses sight of it at once', async () => {
    const machine = availableNode(`${ownerProject}-sold`, { owner: ownerProject });
    await tenure.importDocument({ nodes: [machine] });
    expect(outcomeOf(await clients.osc(personas.ownerReader, ...node, 'show', machine.uuid))).toBe(
      'ok',
    );
    expect(
      outcomeOf(
        await clients.osc(systemAdmin, ...node, 'set', machine.uuid, '--owner', thirdProject),
      ),
    ).toBe('ok');
    expect(outcomeOf(await clients.osc(personas.ownerReader, ...node, 'show', machine.uuid))).toBe(
      404,
    );
    expect(outcomeOf(await clients.osc(personas.thirdAdmin, ...node, 'show', machine.uuid))).toBe(
      'ok',
    );
  });

  it('creates a node with the requested owner', async () => {
    const { stdout } = await clients.osc(
      systemAdmin,
      ...node,
      'create',
      '--driver',
      'fake-hardware',
      '--name',
      `${ownerProject}-born`,
      '--owner',
      ownerProject,
      '-f',
      'json',
    );
    expect(JSON.parse(stdout)).toMatchObject({
      name: `${ownerProject}-born`,
      owner: ownerProject,
      lessee: null,
      driver: 'fake-hardware',
      provision_state: 'enroll',
    });
  });

  it('allocates an own node, shows which, and gives it back', async () => {
    const resourceClass = `class-${ownerProject}`;
    const machine = availableNode(`${ownerProject}-wanted`, {
      owner: ownerProject,
      resource_class: resourceClass,
    });
    await tenure.importDocument({ nodes: [machine] });
    const made = await clients.osc(
      personas.ownerMember,
      ...allocation,
      'create',
      '--resource-class',
      resourceClass,
      '--name',
      `${ownerProject}-take`,
      '--wait',
      '20',
      '-f',
      'json',
    );
    expect(JSON.parse(made.stdout)).toMatchObject({
      state: 'active',
      node_uuid: machine.uuid,
      owner: ownerProject,
    });
    const listed = await clients.osc(
      personas.ownerReader,
      ...allocation,
      'list',
      '--state',
      'active',
      '-f',
      'json',
    );
    expect((JSON.parse(listed.stdout) as { name: string }[]).map(({ name }) => name)).toEqual([
      `${ownerProject}-take`,
    ]);
    expect(
      JSON.parse(
        (
          await clients.osc(
            personas.thirdAdmin,
            ...allocation,
            'list',
            '--state',
            'active',
            '-f',
            'json',
          )
        ).stdout,
      ),
    ).toEqual([]);
    expect(
      outcomeOf(
        await clients.osc(personas.ownerMember, ...allocation, 'delete', `${ownerProject}-take`),
      ),
    ).toBe('ok');
    const node_ = await eventually(
      () => nodeOf(tenure, machine.uuid),
      (seen) => seen['allocation_uuid'] === null,
    );
    expect(node_).toMatchObject({ instance_uuid: null, allocation_uuid: null });
  });
});
