import { type Row } from '../row.js';

const power = (target: string) => ({ target });

/** Verbs of a node. */
export const nodeVerbRows: readonly Row[] = [
  {
    line: 'PUT /v1/nodes/{node}/states/power',
    ok: 202,
    body: power('power on'),
    expect: 'AAA3A AAA33 AAA34 44444 A',
  },
  {
    line: 'PUT /v1/nodes/{node}/states/provision',
    ok: 202,
    body: { target: 'manage' },
    expect: 'AAA3A AAA3A AA334 44444 A',
  },
  {
    line: 'PUT /v1/nodes/{node}/states/provision',
    about: 'with steps',
    ok: 202,
    node: { provision_state: 'manageable' },
    body: {
      target: 'clean',
      clean_steps: [{ interface: 'deploy', step: 'erase_devices_metadata' }],
    },
    expect: 'AAA3A AAA3A AA334 44444 A',
  },
  {
    line: 'PUT /v1/nodes/{node}/states/raid',
    ok: 204,
    body: { logical_disks: [{ size_gb: 100, raid_level: '1' }] },
    expect: 'AAA3A AAA3A 33334 44444 A',
  },
  { line: 'GET /v1/nodes/{node}/states/console', ok: 200, expect: 'AAA3A AAA3A 33334 44444 A' },
  {
    line: 'PUT /v1/nodes/{node}/states/console',
    ok: 202,
    body: { enabled: true },
    expect: 'AAA3A AAA3A 33334 44444 A',
  },
  {
    line: 'PUT /v1/nodes/{node}/states/boot_mode',
    ok: 202,
    body: { target: 'uefi' },
    expect: 'AAA3A AAA33 AAA34 44444 A',
  },
  {
    line: 'PUT /v1/nodes/{node}/states/secure_boot',
    ok: 202,
    body: { target: true },
    node: { boot_mode: 'uefi' },
    expect: 'AAA3A AAA33 AAA34 44444 A',
  },
  {
    line: 'PUT /v1/nodes/{node}/maintenance',
    ok: 202,
    body: { reason: 'broken fan' },
    expect: 'AAA3A AAA3A 33334 44444 A',
  },
  {
    line: 'DELETE /v1/nodes/{node}/maintenance',
    ok: 202,
    node: { maintenance: true },
    expect: 'AAA3A AAA3A 33334 44444 A',
  },
  {
    line: 'GET /v1/nodes/{node}/management/boot_device',
    ok: 200,
    expect: 'AAA3A AA33A 33334 44444 A',
  },
  {
    line: 'GET /v1/nodes/{node}/management/boot_device/supported',
    ok: 200,
    expect: 'AAA3A AA33A 33334 44444 A',
  },
  {
    line: 'PUT /v1/nodes/{node}/management/boot_device',
    ok: 204,
    body: { boot_device: 'pxe' },
    expect: 'AAA3A AA33A 33334 44444 A',
  },
  {
    line: 'PUT /v1/nodes/{node}/management/inject_nmi',
    ok: 204,
    node: { power_state: 'power on' },
    body: {},
    expect: 'AAA3A AA33A 33334 44444 A',
  },
  {
    line: 'GET /v1/nodes/{node}/management/indicators',
    ok: 200,
    expect: 'AAAAA AAAAA AAAA4 44444 A',
  },
  {
    line: 'GET /v1/nodes/{node}/management/indicators/system/led',
    ok: 200,
    expect: 'AAAAA AAAAA AAAA4 44444 A',
  },
  {
    line: 'PUT /v1/nodes/{node}/management/indicators/system/led',
    ok: 204,
    body: { state: 'on' },
    expect: 'AAA3A AAA3A 33334 44444 A',
  },
  {
    line: 'GET /v1/nodes/{node}/vendor_passthru/methods',
    ok: 200,
    expect: 'A3333 33333 33334 44444 3',
  },
  {
    line: 'POST /v1/nodes/{node}/vendor_passthru?method=nothing_of_the_kind',
    ok: 400,
    body: {},
    expect: 'A3333 33333 33334 44444 3',
  },
  {
    line: 'DELETE /v1/nodes/{allocatedNode}/allocation',
    ok: 204,
    expect: 'AAA33 AAA34 44444 44444 A',
  },
];
