import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Clients, startClients } from '../support/clients.js';
import { availableNode } from '../support/fleet.js';
import { inProject, newProject, type Persona, systemAdmin } from '../support/personas.js';
import { sharedTenure, type Tenure } from '../support/tenure.js';
import { newAddress } from './access/fixtures.js';

// connection.baremetal of openstacksdk: what it can do to a node, and what it raises for whom.

const project = newProject('sdk-nodes');
const tenant = newProject('sdk-tenant');
const member = inProject(project, 'member');
const lessee = inProject(tenant, 'member');

const callers = [
  systemAdmin,
  inProject(project, 'admin'),
  member,
  lessee,
  inProject(newProject('sdk-nobody'), 'admin'),
] as const;

const node = availableNode(`${project}-one`, { owner: project, lessee: tenant });
const port = { uuid: crypto.randomUUID(), node_uuid: node.uuid, address: newAddress() };

let tenure: Tenure;
let clients: Clients;

beforeAll(async () => {
  tenure = await sharedTenure();
  clients = startClients(tenure);
  await tenure.importDocument({ nodes: [node], ports: [port] });
});

afterAll(() => {
  clients.stop();
});

async function evaluate(persona: Persona, expression: string): Promise<unknown> {
  const { result, error } = await clients.sdk(
    persona,
    `b, N = conn.baremetal, '${node.uuid}'\nresult = ${expression}`,
  );
  return error === null ? result : error.status;
}

const done = null;
const supported = { supported_boot_devices: ['pxe', 'disk', 'cdrom', 'bios', 'safe'] };
const methods = [
  'first_method',
  'fourth_method_shared_lock',
  'power_summary',
  'second_method',
  'third_method_sync',
];
const vif = `vif-${project}`;

describe('connection.baremetal', () => {
  // In the order of the callers: system admin, owner's admin and member, lessee's member, a stranger's admin.
  it.each([
    ['b.get_node(N).name', [node.name, node.name, node.name, node.name, 404]],
    ['b.find_node(N) is not None', [true, true, true, true, false]],
    ["b.set_node_boot_device(N, 'pxe', persistent=True)", [done, done, 403, 403, 404]],
    ['b.get_node_boot_device(N)["boot_device"]', ['pxe', 'pxe', 403, 403, 404]],
    ['b.get_node_supported_boot_devices(N)', [supported, supported, 403, 403, 404]],
    ["b.set_node_boot_mode(N, 'uefi')", [done, done, done, done, 404]],
    ['b.set_node_secure_boot(N, True)', [done, done, done, done, 404]],
    ['b.inject_nmi_to_node(N)', [done, done, 403, 403, 404]],
    ["b.add_node_trait(N, 'CUSTOM_A')", [done, done, 403, 403, 404]],
    ["b.set_node_traits(N, ['CUSTOM_B', 'CUSTOM_C'])", [done, done, 403, 403, 404]],
    ["b.remove_node_trait(N, 'CUSTOM_C', ignore_missing=False)", [true, 404, 403, 403, 404]],
    ['b.get_node(N).traits', [['CUSTOM_B'], ['CUSTOM_B'], ['CUSTOM_B'], ['CUSTOM_B'], 404]],
    ['sorted(b.list_node_vendor_passthru(N))', [methods, 403, 403, 403, 404]],
    [
      "b.call_node_vendor_passthru(N, 'POST', 'third_method_sync', {'bar': 'meow'}).json()",
      [true, 403, 403, 403, 404],
    ],
    ['b.enable_node_console(N)', [done, done, done, 403, 404]],
    ["b.get_node_console(N)['console_info'] is not None", [true, true, true, 403, 404]],
    ['b.disable_node_console(N)', [done, done, done, 403, 404]],
    [
      "[c['component'] for c in b.list_node_firmware(N)['firmware']] is not None",
      [true, true, true, true, 404],
    ],
    ['b.get_node_inventory(N)', [404, 404, 404, 403, 404]],
    [
      "b.attach_vmedia_to_node(N, 'cdrom', 'http://image.test/a.iso')",
      [done, done, done, done, 404],
    ],
    ["b.detach_vmedia_from_node(N, ['cdrom'])", [done, done, done, done, 404]],
    ['b.detach_vmedia_from_node(N)', [done, done, done, done, 404]],
    [
      "sorted(b.validate_node(N, required=('power',)))[-1]",
      ['storage', 'storage', 'storage', 403, 404],
    ],
    ["b.set_node_maintenance(N, reason='fan').maintenance_reason", ['fan', 'fan', 'fan', 403, 404]],
    ['b.unset_node_maintenance(N).is_maintenance', [false, false, false, 403, 404]],
    ["b.set_node_power_state(N, 'soft rebooting')", [done, done, done, done, 404]],
    ["b.update_node(N, extra={'a': 1}).extra", [{ a: 1 }, { a: 1 }, { a: 1 }, { a: 1 }, 404]],
    [
      "b.patch_node(N, [{'op': 'add', 'path': '/driver_info/a', 'value': 1}]).driver_info",
      [{ a: 1 }, { a: 1 }, { a: 1 }, 403, 404],
    ],
    [
      `len([b.attach_vif_to_node(N, '${vif}'), b.list_node_vifs(N) == ['${vif}'], b.detach_vif_from_node(N, '${vif}')])`,
      [3, 3, 3, 403, 404],
    ],
    ['[d.name for d in b.drivers()]', [['fake-hardware', 'redfish'], 403, 403, 403, 403]],
    ["b.get_driver('redfish').name", ['redfish', 403, 403, 403, 403]],
    ["b.list_driver_vendor_passthru('redfish')", [{}, 403, 403, 403, 403]],
    ['len([c.hostname for c in b.conductors(details=True)])', [1, 403, 403, 403, 403]],
    ['[b.get_conductor(c.hostname).alive for c in b.conductors()]', [[true], 403, 403, 403, 403]],
    ['b.delete_node(N, ignore_missing=False)', [expect.anything(), 404, 404, 404, 404]],
  ])('%s', async (expression, expected) => {
    const got: unknown[] = [];
    for (const persona of callers) got.push(await evaluate(persona, expression));
    expect(got).toEqual(expected);
  });

  it('takes a node from enrolment to an instance and back', async () => {
    const { result, error } = await clients.sdk(
      systemAdmin,
      [
        'b, states = conn.baremetal, []',
        `n = b.create_node(driver='fake-hardware', name='${project}-life', owner='${project}')`,
        'def go(target, **rest):',
        '  states.append(b.set_node_provision_state(n, target, wait=True, timeout=60, **rest).provision_state)',
        "go('manage')",
        "go('inspect')",
        'states.append(sorted(b.get_node_inventory(n)))',
        "go('clean', clean_steps=[{'interface': 'deploy', 'step': 'erase_devices_metadata'}])",
        "go('provide')",
        "go('active', config_drive={'meta_data': {'a': 1}})",
        "go('rescue', rescue_password='secret')",
        "b.set_node_provision_state(n, 'unrescue')",
        "states.append(b.wait_for_nodes_provision_state([n], 'active', timeout=60)[0].provision_state)",
        "go('rebuild')",
        "go('deleted')",
        'b.delete_node(n)',
        `states.append(b.find_node('${project}-life'))`,
        'result = states',
      ].join('\n'),
    );
    expect(error).toBeNull();
    expect(result).toEqual([
      'manageable',
      'manageable',
      ['inventory', 'plugin_data'],
      'manageable',
      'available',
      'active',
      'rescue',
      'active',
      'active',
      'available',
      null,
    ]);
  }, 180_000);

  it('lists nodes by every filter that it has', async () => {
    const fields = { owner: project, resource_class: `class-${project}`, shard: project };
    const wanted = availableNode(`${project}-wanted`, {
      ...fields,
      description: 'Blue rack',
      instance_uuid: crypto.randomUUID(),
    });
    await tenure.importDocument({ nodes: [wanted] });
    const filters = [
      `resource_class='class-${project}'`,
      `shard='${project}'`,
      `shard='${project}', associated=True`,
      `instance_id='${String(wanted['instance_uuid'])}'`,
      `description_contains='Blue', details=True`,
      `driver='fake-hardware', provision_state='available', maintenance=False, resource_class='class-${project}', fields=['name']`,
    ];
    for (const filter of filters) {
      const names = `[n.name for n in b.nodes(${filter})]`;
      expect([filter, await evaluate(member, names)]).toEqual([filter, [wanted.name]]);
      expect([filter, await evaluate(lessee, names)]).toEqual([filter, []]);
    }
  });
});
