import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Clients, startClients } from '../support/clients.js';
import { availableNode } from '../support/fleet.js';
import { inProject, newProject, systemAdmin } from '../support/personas.js';
import { sharedTenure } from '../support/tenure.js';
import { newAddress } from './access/fixtures.js';

// connection.baremetal of openstacksdk: ports, port groups, volumes, chassis, deploy templates and allocations.

const project = newProject('sdk-resources');
const admin = inProject(project, 'admin');
const reader = inProject(project, 'reader');
const stranger = inProject(newProject('sdk-stranger'), 'admin');
const node = availableNode(`${project}-one`, { owner: project });

let clients: Clients;

beforeAll(async () => {
  const tenure = await sharedTenure();
  clients = startClients(tenure);
  await tenure.importDocument({ nodes: [node] });
});

afterAll(() => {
  clients.stop();
});

/** Each step's value, or the status that it raised. */
const steps = (uuid: string, lines: readonly string[]): string =>
  [
    `b, N, U, result = conn.baremetal, '${node.uuid}', '${uuid}', []`,
    'def step(f):',
    '  try:',
    '    result.append(f())',
    '  except Exception as error:',
    "    result.append(getattr(error, 'http_status', None) or getattr(error, 'status_code', repr(error)))",
    ...lines.map((line) => `step(lambda: ${line})`),
  ].join('\n');

interface Kind {
  readonly one: string;
  readonly many: string;
  /** Arguments of the creation beside the id. */
  readonly made: string;
  /** Statuses of the reader's and the stranger's attempts: create, get, update, delete. */
  readonly reader: readonly unknown[];
  readonly stranger: readonly unknown[];
}

const onNode = { reader: [403, true, 403, 403], stranger: [403, 404, 404, 404] };
const ofSystem = { reader: [403, 403, 403, 403], stranger: [403, 403, 403, 403] };

const KINDS: readonly Kind[] = [
  { one: 'port', many: 'ports', made: `node_id=N, address='${newAddress()}'`, ...onNode },
  { one: 'port_group', many: 'port_groups', made: 'node_id=N', ...onNode },
  {
    one: 'volume_connector',
    many: 'volume_connectors',
    made: "node_id=N, type='iqn', connector_id='iqn.' + U",
    ...onNode,
  },
  {
    one: 'volume_target',
    many: 'volume_targets',
    made: "node_id=N, volume_type='iscsi', volume_id='v', boot_index=0, properties={'lun': 1}",
    ...onNode,
  },
  { one: 'chassis', many: 'chassis', made: "description='rack'", ...ofSystem },
  {
    one: 'deploy_template',
    many: 'deploy_templates',
    made: "name='CUSTOM_' + U.replace('-', '_').upper(), steps=[{'interface': 'bios', 'step': 'factory_reset', 'args': {}, 'priority': 10}]",
    ...ofSystem,
  },
];

describe('connection.baremetal', () => {
  it.each(KINDS.map((kind) => [kind.one, kind] as const))(
    'creates, lists, finds, changes and deletes a %s',
    async (_, { one, many, made, ...others }) => {
      const uuid = crypto.randomUUID();
      const maker = others.reader[1] === true ? admin : systemAdmin;
      const before = [`b.create_${one}(id=U, ${made}).id`];
      const life = [
        `[x.id for x in b.${many}(details=True) if x.id == U]`,
        `b.get_${one}(U).id`,
        `b.find_${one}(U).id`,
        `b.update_${one}(U, extra={'a': 1}).extra`,
        `b.patch_${one}(U, [{'op': 'add', 'path': '/extra/b', 'value': 2}]).extra`,
      ];
      const made_ = await clients.sdk(maker, steps(uuid, [...before, ...life]));
      expect(made_.result).toEqual([uuid, [uuid], uuid, uuid, { a: 1 }, { a: 1, b: 2 }]);

      const attempts = steps(uuid, [
        `b.create_${one}(${made.replace(/address='[^']*'/u, `address='${newAddress()}'`)}).id`,
        `b.get_${one}(U).id == U`,
        `b.update_${one}(U, extra={}).extra`,
        `b.delete_${one}(U, ignore_missing=False)`,
      ]);
      expect((await clients.sdk(reader, attempts)).result).toEqual(others.reader);
      expect((await clients.sdk(stranger, attempts)).result).toEqual(others.stranger);

      const after = [
        `b.delete_${one}(U, ignore_missing=False) is None or True`,
        `b.find_${one}(U)`,
        `b.delete_${one}(U, ignore_missing=False)`,
      ];
      expect((await clients.sdk(maker, steps(uuid, after))).result).toEqual([true, null, 404]);
    },
  );

  it('shows a stranger nothing of what hangs on nodes', async () => {
    const lists = KINDS.filter(({ stranger: [, get] }) => get === 404).map(
      ({ many }) => `list(b.${many}())`,
    );
    const { result } = await clients.sdk(stranger, steps(node.uuid, lists));
    expect(result).toEqual([[], [], [], []]);
    const filtered = ['list(b.ports(address="02:00:00:00:00:01"))', 'list(b.port_groups(node=N))'];
    expect((await clients.sdk(stranger, steps(node.uuid, filtered))).result).toEqual([[], 404]);
  });

  it('makes, waits for, changes and deletes an allocation', async () => {
    const name = `${project}-allocation`;
    const member = inProject(project, 'member');
    const life = [
      `b.create_allocation(name='${name}', resource_class='none-of-it').name`,
      `b.wait_for_allocation('${name}', timeout=60, ignore_error=True).state`,
      `[a.name for a in b.allocations(state='error', resource_class='none-of-it')]`,
      `b.update_allocation('${name}', extra={'a': 1}).extra`,
      `b.patch_allocation('${name}', [{'op': 'add', 'path': '/extra/b', 'value': 2}]).extra`,
    ];
    expect((await clients.sdk(member, steps(node.uuid, life))).result).toEqual([
      name,
      'error',
      [name],
      { a: 1 },
      { a: 1, b: 2 },
    ]);
    const attempts = [
      `b.get_allocation('${name}').name`,
      `b.update_allocation('${name}', extra={}).extra`,
      `b.delete_allocation('${name}', ignore_missing=False)`,
      `[a.name for a in b.allocations()]`,
    ];
    const tried = async (persona: typeof admin): Promise<unknown> =>
      (await clients.sdk(persona, steps(node.uuid, attempts))).result;
    expect(await tried(reader)).toEqual([name, 403, 403, [name]]);
    expect(await tried(stranger)).toEqual([404, 404, 404, []]);
    const deletion = [
      `b.delete_allocation('${name}', ignore_missing=False) and True`,
      `b.get_allocation('${name}')`,
    ];
    expect((await clients.sdk(member, steps(node.uuid, deletion))).result).toEqual([true, 404]);
  });
});
