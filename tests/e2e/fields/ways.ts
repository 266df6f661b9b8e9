import { CHASSIS, NODES, TARGETS, UNREACHABLE } from './fleet.js';
import { TO_THE_SYSTEM } from './values.js';

const { held } = NODES;

export const FIELDS = Object.keys(TO_THE_SYSTEM.node);

/** A way to a node: what is asked, and the fields that it shows. */
export interface Way {
  readonly line: string;
  readonly fields: readonly string[];
  readonly isList?: true;
}

/** Every way to a node that the system and projects have. */
export const WAYS: readonly Way[] = [
  { line: `GET /v1/nodes/${held.uuid}`, fields: FIELDS },
  { line: `GET /v1/nodes/${held.name}`, fields: FIELDS },
  { line: `GET /v1/nodes/${held.uuid}/states`, fields: ['last_error'] },
  { line: `GET /v1/nodes/${held.uuid}?fields=${FIELDS.join(',')}`, fields: FIELDS },
  ...FIELDS.map((field): Way => ({
    line: `GET /v1/nodes/${held.uuid}?fields=${field}`,
    fields: [field],
  })),
  ...listWays('GET /v1/nodes'),
];

/** Of the system alone. */
export const CHASSIS_WAYS = listWays(`GET /v1/chassis/${CHASSIS}/nodes`);

export const PATCH_EXTRA = [{ op: 'add', path: '/extra', value: { note: 'x' } }];

/** What is refused while a conductor holds the node. */
export const BUSY_CALLS: readonly (readonly [line: string, body?: unknown])[] = [
  [`PATCH /v1/nodes/${held.uuid}`, PATCH_EXTRA],
  [`PUT /v1/nodes/${held.uuid}/states/power`, { target: 'power on' }],
  [`PUT /v1/nodes/${held.uuid}/states/provision`, { target: 'manage' }],
  [`PUT /v1/nodes/${held.uuid}/states/raid`, { logical_disks: [] }],
  [`PUT /v1/nodes/${held.uuid}/states/console`, { enabled: true }],
  [`PUT /v1/nodes/${held.uuid}/states/boot_mode`, { target: 'uefi' }],
  [`PUT /v1/nodes/${held.uuid}/management/boot_device`, { boot_device: 'pxe' }],
  [`PUT /v1/nodes/${held.uuid}/management/inject_nmi`, {}],
  [`PUT /v1/nodes/${held.uuid}/traits/CUSTOM_X`],
  [`POST /v1/nodes/${held.uuid}/vifs`, { id: 'vif-7' }],
  [`PATCH /v1/volume/targets/${TARGETS.held.uuid}`, PATCH_EXTRA],
  [`DELETE /v1/volume/targets/${TARGETS.held.uuid}`],
];

/** What may have to ask a machine that does not answer, or tells what became of asking it. */
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
  const only = `resource_class=${String(held['resource_class'])}`;
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
