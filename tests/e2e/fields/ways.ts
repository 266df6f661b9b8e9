import { CHASSIS, NODES, TARGETS, UNREACHABLE } from './fleet.js';
import { TO_THE_SYSTEM } from './values.js';

const { locked } = NODES;

export const FIELDS = Object.keys(TO_THE_SYSTEM.node);

/** A way to a node: the request, and the fields that it returns. */
export interface Way {
  readonly line: string;
  readonly fields: readonly string[];
  readonly isList?: true;
}

/** Every way to a node that the system and projects have. */
export const WAYS: readonly Way[] = [
  { line: `GET /v1/nodes/${locked.uuid}`, fields: FIELDS },
  { line: `GET /v1/nodes/${locked.name}`, fields: FIELDS },
  { line: `GET /v1/nodes/${locked.uuid}/states`, fields: ['last_error'] },
  { line: `GET /v1/nodes/${locked.uuid}?fields=${FIELDS.join(',')}`, fields: FIELDS },
  ...FIELDS.map((field): Way => ({
    line: `GET /v1/nodes/${locked.uuid}?fields=${field}`,
    fields: [field],
  })),
  ...listWays('GET /v1/nodes'),
];

/** Of the system alone. */
export const CHASSIS_WAYS = listWays(`GET /v1/chassis/${CHASSIS}/nodes`);

export const PATCH_EXTRA = [{ op: 'add', path: '/extra', value: { note: 'x' } }];

/** Requests that are refused while a conductor has locked the node. */
export const BUSY_CALLS: readonly (readonly [line: string, body?: unknown])[] = [
  [`PATCH /v1/nodes/${locked.uuid}`, PATCH_EXTRA],
  [`PUT /v1/nodes/${locked.uuid}/states/power`, { target: 'power on' }],
  [`PUT /v1/nodes/${locked.uuid}/states/provision`, { target: 'manage' }],
  [`PUT /v1/nodes/${locked.uuid}/states/raid`, { logical_disks: [] }],
  [`PUT /v1/nodes/${locked.uuid}/states/console`, { enabled: true }],
  [`PUT /v1/nodes/${locked.uuid}/states/boot_mode`, { target: 'uefi' }],
  [`PUT /v1/nodes/${locked.uuid}/management/boot_device`, { boot_device: 'pxe' }],
  [`PUT /v1/nodes/${locked.uuid}/management/inject_nmi`, {}],
  [`PUT /v1/nodes/${locked.uuid}/traits/CUSTOM_X`],
  [`POST /v1/nodes/${locked.uuid}/vifs`, { id: 'vif-7' }],
  [`PATCH /v1/volume/targets/${TARGETS.locked.uuid}`, PATCH_EXTRA],
  [`DELETE /v1/volume/targets/${TARGETS.locked.uuid}`],
];

/** Requests that may need a machine that does not answer, or that report the outcome. */
export const BMC_CALLS: readonly string[] = [
  'management/boot_device',
  'management/boot_device/supported',
  'management/indicators',
  'states/console',
  'bios',
  'vifs',
  'states',
  'history?detail=true',
  'validate',
].map((part) => `GET /v1/nodes/${UNREACHABLE.uuid}/${part}`);

function listWays(list: string): readonly Way[] {
  const only = `resource_class=${String(locked['resource_class'])}`;
  return [
    ...FIELDS.map((field): Way => ({
      line: `${list}?${only}&fields=${field}`,
      fields: [field],
      isList: true,
    })),
    { line: `${list}?${only}&fields=${FIELDS.join(',')}`, fields: FIELDS, isList: true },
    { line: `${list}?${only}&detail=true`, fields: FIELDS, isList: true },
    { line: `${list}/detail?${only}`, fields: FIELDS, isList: true },
    { line: `${list}/detail?${only}&sort_key=name&limit=1`, fields: FIELDS, isList: true },
  ];
}
