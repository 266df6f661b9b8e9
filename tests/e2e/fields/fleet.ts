import { randomUUID } from 'node:crypto';
import { availableNode, type FleetNode } from '../../support/fleet.js';
import {
  inProject,
  inProjectCalled,
  newProject,
  type Persona,
  systemReader,
} from '../../support/personas.js';

export const CONDUCTOR = 'conductor-7.example';
export const GROUP = 'rack-7';
export const HOLDER = 'conductor-8.example';
export const CHASSIS = randomUUID();
export const SECRET = 'swordfish';
export const BMC = 'bmc-7.example';

const owner = newProject('fields-owner');
const lessee = newProject('fields-lessee');

const everyRole = (place: string, project: string): readonly (readonly [string, Persona])[] =>
  ['admin', 'member', 'reader'].map((role) => [`${place} ${role}`, inProject(project, role)]);

export const SYSTEM: readonly (readonly [string, Persona])[] = [['system reader', systemReader]];
export const OWNERS = everyRole('owner', owner);
export const LESSEES = everyRole('lessee', lessee);
export const ELEVATED: readonly (readonly [string, Persona])[] = [
  ['elevated service account', inProjectCalled('service', 'service')],
];

const node = (name: string, fields: Readonly<Record<string, unknown>>): FleetNode =>
  availableNode(`${name}-${owner}`, {
    owner,
    lessee,
    resource_class: `${name}-${owner}`,
    chassis_uuid: CHASSIS,
    conductor_group: GROUP,
    last_error: `${BMC} did not answer`,
    driver_info: {
      address: BMC,
      redfish_username: 'root',
      redfish_password: SECRET,
      snmp_priv_key: SECRET,
    },
    driver_internal_info: { agent_url: `https://${BMC}:9999`, agent_secret_token: SECRET },
    instance_info: { image_source: 'image', configdrive: SECRET, image_url: SECRET },
    ...fields,
  });

const FAULTS: readonly Readonly<Record<string, unknown>>[] = [
  { redfish_auth_type: `none-at-${BMC}` },
  { redfish_verify_ca: `/etc/${BMC}/ca.pem` },
  { redfish_verify_ca: `etc/${BMC}/ca.pem` },
  { redfish_system_id: `/redfish/../${BMC}` },
  { redfish_address: `https://${SECRET}@${BMC}` },
  { redfish_address: `ftp://${BMC}` },
  { redfish_password: null },
];

const redfish = (name: string, settings: Readonly<Record<string, unknown>>): FleetNode =>
  node(name, {
    driver: 'redfish',
    driver_info: {
      redfish_address: `https://${BMC}`,
      redfish_username: 'root',
      redfish_password: SECRET,
      ...settings,
    },
  });

/** Locked by a conductor, so that no caller changes it; and free. */
export const NODES = {
  locked: node('locked', { reservation: HOLDER }),
  free: node('free', {}),
} as const;

const MIXED_CLASS = `mixed-${owner}`;

/** In one list of the owner: its own, one that it leases, one that it leases of itself. */
export const MIXED = {
  resourceClass: MIXED_CLASS,
  own: node('own', { resource_class: MIXED_CLASS }),
  leased: node('leased', {
    resource_class: MIXED_CLASS,
    owner: newProject('fields-lessor'),
    lessee: owner,
  }),
  both: node('both', { resource_class: MIXED_CLASS, lessee: owner }),
} as const;

/** Nodes of which a setting is wrong. */
export const FAULTY: readonly FleetNode[] = FAULTS.map((settings, index) => ({
  ...redfish(`faulty-${String(index)}`, settings),
  maintenance: true,
}));

/** Where nothing listens. */
const DEAD_ADDRESS = '127.0.0.1:1';
export const UNREACHABLE = redfish('unreachable', {
  redfish_address: `https://${DEAD_ADDRESS}`,
  redfish_system_id: '/redfish/v1/Systems/system-7',
});

const target = (on: FleetNode) => ({
  uuid: randomUUID(),
  node_uuid: on.uuid,
  volume_type: 'iscsi',
  boot_index: 0,
  volume_id: randomUUID(),
  properties: { target_portal: '192.0.2.7:3260', auth_password: SECRET },
});

export const TARGETS = { locked: target(NODES.locked), free: target(NODES.free) } as const;

export const DOCUMENT = {
  chassis: [{ uuid: CHASSIS }],
  nodes: [...Object.values(NODES), MIXED.own, MIXED.leased, MIXED.both, ...FAULTY, UNREACHABLE],
  node_history: [
    {
      uuid: randomUUID(),
      node_uuid: UNREACHABLE.uuid,
      created_at: '2026-11-21T06:00:00+00:00',
      severity: 'ERROR',
      event: 'something happened',
      conductor: CONDUCTOR,
    },
  ],
  volume_targets: Object.values(TARGETS),
};
