import { type Row } from './row.js';

const raid = '{"logical_disks": [{"size_gb": 10, "raid_level": "1"}]}';
const network = '{"links": [], "networks": [], "services": []}';
const step = '[{"interface": "deploy", "step": "erase_devices_metadata"}]';
const onNode = { denied: 'node:set_provision_state', expect: 'AAAA34' };

/** Settings of a node, set and removed. */
const fieldRows: readonly Row[] = [
  { command: 'node set {node} --extra a=1', expect: 'AAAAA4' },
  { command: 'node set {node} --instance-info a=1', expect: 'AAAAA4' },
  { command: 'node set {node} --description text', expect: 'AAAAA4' },
  {
    command: 'node unset {node} --extra a',
    node: { extra: { a: 1 } },
    expect: 'AAAAA4',
  },
  {
    command: 'node set {node} --driver-info address=192.0.2.1',
    denied: 'node:update:driver_info',
    expect: 'AAA334',
  },
  {
    command: 'node unset {node} --driver-info a',
    node: { driver_info: { a: 1 } },
    denied: 'node:update:driver_info',
    expect: 'AAA334',
  },
  {
    command: 'node set {node} --property cpus=4',
    denied: 'node:update:properties',
    expect: 'AAA334',
  },
  { command: 'node set {node} --name {name}', denied: 'node:update:name', expect: 'AAA334' },
  {
    command: 'node set {node} --resource-class large',
    denied: 'node:update:resource_class',
    expect: 'AAA334',
  },
  {
    command: 'node set {node} --retired --retired-reason old',
    node: { provision_state: 'manageable' },
    denied: 'node:update:retired',
    expect: 'AAA334',
  },
  {
    command: `node set {node} --network-data '${network}'`,
    denied: 'node:update:network_data',
    expect: 'AAA334',
  },
  {
    command: 'node set {node} --instance-uuid {uuid}',
    denied: 'node:update:instance_uuid',
    expect: 'AAA334',
  },
  {
    command: 'node set {node} --protected',
    node: { provision_state: 'active' },
    denied: 'node:update:protected',
    expect: 'AAA334',
  },
  {
    command: `node set {node} --target-raid-config '${raid}'`,
    denied: 'node:set_raid_state',
    expect: 'AAA334',
  },
  {
    command: 'node set {node} --bios-interface fake',
    denied: 'node:update:driver_interfaces',
    expect: 'AA3334',
  },
  {
    command: 'node set {node} --chassis-uuid {chassis}',
    denied: 'node:update:chassis_uuid',
    expect: 'A33334',
  },
  { command: 'node set {node} --shard east', denied: 'node:update:shard', expect: 'A33334' },
  {
    command: 'node set {node} --automated-clean',
    denied: 'node:update:automated_clean',
    expect: 'AAA334',
  },
];

/** Reads of a node. */
const partRows: readonly Row[] = [
  { command: 'node trait list {node}', expect: 'AAAAA4' },
  {
    command: 'node trait add {node} CUSTOM_FAST',
    denied: 'node:traits:set',
    before: 'Failed to add trait CUSTOM_FAST: ',
    expect: 'AA3334',
  },
  {
    command: 'node trait remove {node} CUSTOM_OLD',
    node: { traits: ['CUSTOM_OLD'] },
    denied: 'node:traits:delete',
    before: 'Failed to remove trait CUSTOM_OLD: ',
    expect: 'AA3334',
  },
  { command: 'node trait remove {node} --all', denied: 'node:traits:delete', expect: 'AA3334' },
  { command: 'node bios setting list {node}', expect: 'AAAAA4' },
  { command: 'node firmware list {node}', expect: 'AAAAA4' },
  { command: 'node children list {node}', expect: 'AAAAA4' },
  { command: 'node history list {node}', denied: 'node:history:get', expect: 'AAA334' },
  { command: 'node vif list {node}', expect: 'AAAAA4' },
  {
    command: 'node vif detach {node} {vif}',
    denied: 'node:vif:detach',
    expect: 'AAAA34',
  },
  { command: 'node validate {node}', denied: 'node:validate', expect: 'AAAA34' },
];

/** Verbs that act on a node at once. */
const verbRows: readonly Row[] = [
  { command: 'node reboot {node}', node: { power_state: 'power on' }, expect: 'AAAAA4' },
  { command: 'node boot mode set {node} uefi', expect: 'AAAAA4' },
  { command: 'node secure boot on {node}', node: { boot_mode: 'uefi' }, expect: 'AAAAA4' },
  { command: 'node secure boot off {node}', node: { boot_mode: 'uefi' }, expect: 'AAAAA4' },
  { command: 'node boot device show {node}', denied: 'node:get_boot_device', expect: 'AA3334' },
  {
    command: 'node boot device show {node} --supported',
    denied: 'node:get_boot_device',
    expect: 'AA3334',
  },
  {
    command: 'node boot device set {node} pxe',
    denied: 'node:set_boot_device',
    expect: 'AA3334',
  },
  { command: 'node console show {node}', denied: 'node:get_console', expect: 'AAA334' },
  { command: 'node console enable {node}', denied: 'node:set_console_state', expect: 'AAA334' },
  { command: 'node console disable {node}', denied: 'node:set_console_state', expect: 'AAA334' },
  {
    command: 'node inject nmi {node}',
    node: { power_state: 'power on' },
    denied: 'node:inject_nmi',
    expect: 'AA3334',
  },
  { command: 'node passthru list {node}', denied: 'node:vendor_passthru', expect: 'A33334' },
  {
    command: 'node passthru call {node} power_summary --http-method GET',
    denied: 'node:vendor_passthru',
    expect: 'A33334',
  },
  {
    command: 'node passthru call {node} second_method --arg bar=kazoo',
    denied: 'node:vendor_passthru',
    expect: 'A33334',
  },
];

/** The provision verbs, each from a state that allows it. */
const provisionRows: readonly Row[] = [
  { command: 'node manage {node}', ...onNode },
  { command: 'node provide {node}', node: { provision_state: 'manageable' }, ...onNode },
  { command: 'node inspect {node}', node: { provision_state: 'manageable' }, ...onNode },
  {
    command: `node clean {node} --clean-steps '${step}'`,
    node: { provision_state: 'manageable' },
    ...onNode,
  },
  {
    command: 'node adopt {node}',
    node: { provision_state: 'manageable', instance_info: { image_source: 'http://image.test/a' } },
    ...onNode,
  },
  { command: 'node deploy {node}', ...onNode },
  { command: 'node rebuild {node}', node: { provision_state: 'active' }, ...onNode },
  {
    command: 'node rescue {node} --rescue-password secret',
    node: { provision_state: 'active' },
    ...onNode,
  },
  { command: 'node unrescue {node}', node: { provision_state: 'rescue' }, ...onNode },
  {
    command: `node service {node} --service-steps '${step}'`,
    node: { provision_state: 'active' },
    ...onNode,
  },
  { command: 'node undeploy {node}', node: { provision_state: 'active' }, ...onNode },
  { command: 'node abort {node}', node: { provision_state: 'clean wait' }, ...onNode },
  { command: 'node unhold {node}', node: { provision_state: 'clean hold' }, ...onNode },
];

/** Commands about a node that is owned by one project and leased to another. */
export const nodeRows: readonly Row[] = [...fieldRows, ...partRows, ...verbRows, ...provisionRows];
