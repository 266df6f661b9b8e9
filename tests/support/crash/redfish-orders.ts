import { type StubBmc } from '../../../services/conductor/src/testing/stub-bmc.js';
import { askLatest } from '../http-client.js';
import { newMac } from '../node-parts.js';
import { systemAdmin } from '../personas.js';
import { type Check, type Ending, type Order, power, provision } from './orders.js';

type Commands = Readonly<Record<Ending, readonly (readonly string[])[]>>;

const OFF = { power_state: 'power off' };
const ON = { power_state: 'power on' };

/** The requests to the BMC, in order, without sessions: the last part of the path, and of which kind. */
const commandsTo = ({ requests }: StubBmc): readonly string[] =>
  requests
    .filter(({ method, path }) => method !== 'GET' && !path.includes('/SessionService/'))
    .map(({ method, path, body }) => {
      const what = path.split('/').at(-1) ?? '';
      const kind = body['ResetType'];
      return typeof kind === 'string' ? kind : `${method} ${what}`;
    });

/** The BMC got one of these sequences of commands, and nothing else. */
const commanded =
  (allowed: Commands): Check =>
  (_tenure, { bmc }, ending) => {
    const sent = bmc === undefined ? [] : commandsTo(bmc);
    const isAllowed = allowed[ending].some((one) => String(one) === String(sent));
    return isAllowed ? [] : [`commands ${String(sent)}`];
  };

const exactly = (...commands: readonly string[]): Check =>
  commanded({ before: [[]], done: [commands] });

export const REDFISH_POWER_ORDERS: readonly Order[] = [
  {
    name: 'redfish power on',
    machine: off,
    node: { provision_state: 'available', ...OFF },
    ...power('power on'),
    writtenWith: 1,
    before: OFF,
    done: ON,
    check: exactly('On'),
  },
  {
    name: 'redfish power off',
    machine: on,
    node: { provision_state: 'active', ...ON },
    ...power('power off'),
    writtenWith: 1,
    before: ON,
    done: OFF,
    check: exactly('ForceOff'),
  },
  {
    name: 'redfish soft power off',
    machine: on,
    node: { provision_state: 'active', ...ON },
    ...power('soft power off'),
    writtenWith: 2,
    before: ON,
    done: OFF,
    check: exactly('GracefulShutdown'),
  },
  {
    name: 'redfish reboot',
    machine: on,
    node: { provision_state: 'active', ...ON },
    ...power('rebooting'),
    writtenWith: 2,
    before: ON,
    done: ON,
    check: exactly('ForceOff', 'On'),
  },
  {
    name: 'redfish soft reboot',
    machine: on,
    node: { provision_state: 'active', ...ON },
    ...power('soft rebooting'),
    writtenWith: 2,
    before: ON,
    done: ON,
    check: exactly('GracefulShutdown', 'On'),
  },
];

const BOOT_MODE = {
  interface: 'bios',
  step: 'apply_configuration',
  args: { settings: [{ name: 'BootMode', value: 'Uefi' }] },
};
const APPLIED = ['PATCH Settings', 'On', 'ForceOff'];

const macsFor = new WeakMap<StubBmc, readonly string[]>();

const MANAGEABLE = { provision_state: 'manageable', ...OFF };
const ISO = 'http://images.example/live.iso';

const hasPorts: Check = async (tenure, { node, bmc }, ending) => {
  const answer = await askLatest(tenure, systemAdmin, `GET /v1/nodes/${node.uuid}/ports`);
  const { ports } = answer.json as { ports: readonly { address: string }[] };
  const found = ports.map(({ address }) => address).toSorted();
  const macs = bmc === undefined ? [] : (macsFor.get(bmc) ?? []);
  const wanted = ending === 'done' ? macs.toSorted() : [];
  const commands = bmc === undefined ? [] : commandsTo(bmc);
  return [
    ...(String(found) === String(wanted) ? [] : [`ports ${String(found)}`]),
    ...commands.map((command) => `sent ${command}`),
  ];
};

const isDeployed: Check = (_tenure, { bmc }, ending) => {
  const image = bmc?.machine.drives['Cd']?.image ?? null;
  const resets = bmc === undefined ? [] : bmc.resets;
  const isRight =
    ending === 'before'
      ? image === null && resets.length === 0
      : image === ISO && String(resets) === 'On';
  return isRight ? [] : [`image ${String(image)}, resets ${String(resets)}`];
};

const isTornDown: Check = (_tenure, { bmc }, ending) => {
  const image = bmc?.machine.drives['Cd']?.image ?? null;
  const resets = String(bmc?.resets);
  const isRight =
    ending === 'before' ? image === ISO && resets === '' : image === null && resets === 'ForceOff';
  return isRight ? [] : [`image ${String(image)}, resets ${resets}`];
};

const withSlowBios: NonNullable<Order['machine']> = (bmc) => {
  bmc.machine.settingsWait = 'yes';
};

const withImage: NonNullable<Order['machine']> = (bmc) => {
  bmc.power = 'On';
  const drive = bmc.machine.drives['Cd'];
  if (drive !== undefined) drive.image = ISO;
};

export const REDFISH_WORK_ORDERS: readonly Order[] = [
  {
    name: 'redfish clean with a step',
    machine: withSlowBios,
    node: MANAGEABLE,
    ...provision('clean', { clean_steps: [BOOT_MODE] }),
    before: MANAGEABLE,
    done: { ...MANAGEABLE, clean_step: {} },
    check: exactly(...APPLIED),
  },
  {
    name: 'redfish inspect',
    machine: withCards,
    node: MANAGEABLE,
    ...provision('inspect'),
    before: { ...MANAGEABLE, properties: {} },
    done: {
      ...MANAGEABLE,
      properties: {
        cpus: 2,
        cpu_arch: 'x86_64',
        memory_mb: 98_304,
        capabilities: 'boot_mode:bios',
      },
    },
    check: hasPorts,
  },
  {
    name: 'redfish deploy',
    machine: off,
    node: {
      provision_state: 'available',
      ...OFF,
      deploy_interface: 'ramdisk',
      instance_info: { boot_iso: ISO },
    },
    ...provision('active'),
    before: { provision_state: 'available', ...OFF },
    done: { provision_state: 'active', ...ON },
    check: isDeployed,
  },
  {
    name: 'redfish tear down',
    machine: withImage,
    node: {
      provision_state: 'active',
      ...ON,
      deploy_interface: 'ramdisk',
      instance_info: { boot_iso: ISO },
    },
    ...provision('deleted'),
    before: { provision_state: 'active', ...ON, instance_info: { boot_iso: ISO } },
    done: { provision_state: 'available', ...OFF, instance_info: {} },
    check: isTornDown,
  },
];

function off(bmc: StubBmc): void {
  bmc.power = 'Off';
}

function on(bmc: StubBmc): void {
  bmc.power = 'On';
}

/** A machine with two network cards, each with an address of its own. */
function withCards(bmc: StubBmc): void {
  const macs = [newMac(), newMac()];
  macsFor.set(bmc, macs);
  const cards = macs.map((MACAddress, index) => [
    `nic${String(index)}`,
    { MACAddress, Status: { State: 'Enabled' } },
  ]);
  bmc.machine.addParts(
    'EthernetInterfaces',
    Object.fromEntries(cards) as Record<string, Readonly<Record<string, unknown>>>,
  );
}
