import { type Row } from './row.js';

const steps = '[{"interface": "bios", "step": "factory_reset", "args": {}, "priority": 10}]';

const port = { missing: 'Port {port}' };
const portgroup = { missing: 'Portgroup {portgroup}' };
const connector = { missing: 'Volume connector {connector}' };
const target = { missing: 'Volume target {target}' };
const allocation = { missing: 'Allocation {allocation}' };

/** Resources that belong to a node. */
const hangingRows: readonly Row[] = [
  { command: 'port create --node {node} {mac}', denied: 'port:create', expect: 'AA3333' },
  { command: 'port show {port}', ...port, expect: 'AAAAA4' },
  { command: 'port set {port} --extra a=1', denied: 'port:update', ...port, expect: 'AA3334' },
  {
    command: 'port unset {port} --physical-network',
    denied: 'port:update',
    ...port,
    expect: 'AA3334',
  },
  {
    command: 'port delete {port}',
    denied: 'port:delete',
    before: 'Failed to delete port {port}: ',
    ...port,
    expect: 'AA3334',
  },
  { command: 'port group create --node {node}', denied: 'portgroup:create', expect: 'AA3333' },
  { command: 'port group show {portgroup}', ...portgroup, expect: 'AAAAA4' },
  {
    command: 'port group set {portgroup} --extra a=1',
    denied: 'portgroup:update',
    ...portgroup,
    expect: 'AA3334',
  },
  {
    command: 'port group unset {portgroup} --address',
    denied: 'portgroup:update',
    ...portgroup,
    expect: 'AA3334',
  },
  {
    command: 'port group delete {portgroup}',
    denied: 'portgroup:delete',
    // The client has two spaces here.
    before: 'Failed to delete port group {portgroup}:  ',
    ...portgroup,
    expect: 'AA3334',
  },
  {
    command: 'volume connector create --node {node} --type iqn --connector-id {uuid}',
    denied: 'volume:create',
    expect: 'AA3A33',
  },
  { command: 'volume connector show {connector}', ...connector, expect: 'AAAAA4' },
  {
    command: 'volume connector set {connector} --extra a=1',
    denied: 'volume:update',
    ...connector,
    expect: 'AAAA34',
  },
  {
    command: 'volume connector delete {connector}',
    denied: 'volume:delete',
    before: 'Failed to delete volume connector {connector}: ',
    ...connector,
    expect: 'AA3A34',
  },
  {
    command: 'volume target create --node {node} --type iscsi --boot-index 7 --volume-id {uuid}',
    denied: 'volume:create',
    expect: 'AA3A33',
  },
  { command: 'volume target show {target}', ...target, expect: 'AAAAA4' },
  {
    command: 'volume target set {target} --extra a=1',
    denied: 'volume:update',
    ...target,
    expect: 'AAAA34',
  },
  {
    command: 'volume target delete {target}',
    denied: 'volume:delete',
    before: 'Failed to delete volume target {target}: ',
    ...target,
    expect: 'AA3A34',
  },
  { command: 'allocation set {allocation} --extra a=1', ...allocation, expect: 'AAA444' },
  { command: 'allocation unset {allocation} --name', ...allocation, expect: 'AAA444' },
];

/** Resources of the operator: no other caller learns whether they exist. */
const systemRows: readonly Row[] = [
  { command: 'chassis list', denied: 'chassis:get', expect: 'A3.3.3' },
  { command: 'chassis create', denied: 'chassis:create', expect: 'A3.3.3' },
  { command: 'chassis show {chassis}', denied: 'chassis:get', expect: 'A3.3.3' },
  { command: 'chassis set {chassis} --extra a=1', denied: 'chassis:update', expect: 'A3.3.3' },
  { command: 'chassis unset {chassis} --description', denied: 'chassis:update', expect: 'A3.3.3' },
  {
    command: 'chassis delete {chassis}',
    denied: 'chassis:delete',
    before: 'Failed to delete chassis {chassis}: ',
    expect: 'A3.3.3',
  },
  { command: 'node list --chassis {chassis}', denied: 'node:get:chassis_uuid', expect: 'A3.3.3' },
  { command: 'driver list', denied: 'driver:get', expect: 'A3.3.3' },
  { command: 'driver show fake-hardware', denied: 'driver:get', expect: 'A3.3.3' },
  {
    command: 'driver property list fake-hardware',
    denied: 'driver:get_properties',
    expect: 'A3.3.3',
  },
  {
    command: 'driver raid property list fake-hardware',
    denied: 'driver:get_raid_logical_disk_properties',
    expect: 'A3.3.3',
  },
  {
    command: 'driver passthru list fake-hardware',
    denied: 'driver:vendor_passthru',
    expect: 'A3.3.3',
  },
  { command: 'conductor list', denied: 'conductor:get', expect: 'A3.3.3' },
  { command: 'shard list', denied: 'shards:get', expect: 'A3.3.3' },
  { command: 'deploy template list', denied: 'deploy_template:get', expect: 'A3.3.3' },
  {
    command: `deploy template create CUSTOM_{unique} --steps '${steps}'`,
    denied: 'deploy_template:create',
    expect: 'A3.3.3',
  },
  { command: 'deploy template show {template}', denied: 'deploy_template:get', expect: 'A3.3.3' },
  {
    command: 'deploy template set {template} --extra a=1',
    denied: 'deploy_template:update',
    expect: 'A3.3.3',
  },
  {
    command: 'deploy template delete {template}',
    denied: 'deploy_template:delete',
    before: 'Failed to delete deploy template {template}: ',
    expect: 'A3.3.3',
  },
];

/** Commands about what is not a node. */
export const otherRows: readonly Row[] = [...hangingRows, ...systemRows];
