import { BMC, CHASSIS, CONDUCTOR, GROUP, HOLDER } from './fleet.js';

export type Values = Readonly<Record<string, unknown>>;

/** The fields of a node and of a volume target that a class of callers sees. */
export interface Views {
  readonly node: Values;
  /** Of the reservation while nobody holds the node. */
  readonly unheld: unknown;
  /** Values that are in no answer at all, whatever fails. */
  readonly untold: RegExp;
}

const HIDDEN = '******';

// No caller sees secrets.
const INSTANCE_INFO = { image_source: 'image', configdrive: HIDDEN, image_url: HIDDEN };
const DRIVER_INFO = {
  address: BMC,
  redfish_username: 'root',
  redfish_password: HIDDEN,
  snmp_priv_key: HIDDEN,
};
const DRIVER_INTERNAL_INFO = {
  agent_url: `https://${BMC}:9999`,
  agent_secret_token: HIDDEN,
};

export const TO_THE_SYSTEM: Views = {
  node: {
    driver_info: DRIVER_INFO,
    driver_internal_info: DRIVER_INTERNAL_INFO,
    last_error: 'bmc-7.example did not answer',
    reservation: HOLDER,
    chassis_uuid: CHASSIS,
    conductor: CONDUCTOR,
    conductor_group: GROUP,
    instance_info: INSTANCE_INFO,
  },
  unheld: null,
  untold: /swordfish/u,
};

/** The machine is theirs, the infrastructure around it is the operator's. */
export const TO_OWNERS: Views = {
  node: {
    driver_info: DRIVER_INFO,
    driver_internal_info: DRIVER_INTERNAL_INFO,
    last_error: 'bmc-7.example did not answer',
    reservation: true,
    chassis_uuid: null,
    conductor: null,
    conductor_group: null,
    instance_info: INSTANCE_INFO,
  },
  unheld: false,
  untold: /swordfish|conductor-[78]/u,
};

export const TO_LESSEES: Views = {
  node: {
    driver_info: {},
    driver_internal_info: {},
    last_error: null,
    reservation: true,
    chassis_uuid: null,
    conductor: null,
    conductor_group: null,
    instance_info: INSTANCE_INFO,
  },
  unheld: false,
  untold: /swordfish|conductor-[78]|bmc-7|system-7|127\.0\.0\.1:1\b/u,
};

/** The properties of a volume target: of who connects machines to storage. */
export const TARGET_PROPERTIES: Readonly<Record<string, Values>> = {
  'system reader': { target_portal: '192.0.2.7:3260', auth_password: HIDDEN },
  'owner admin': { target_portal: '192.0.2.7:3260', auth_password: HIDDEN },
  'owner member': {},
  'owner reader': {},
  'lessee admin': { target_portal: '192.0.2.7:3260', auth_password: HIDDEN },
  'lessee member': {},
  'lessee reader': {},
  'elevated service account': { target_portal: '192.0.2.7:3260', auth_password: HIDDEN },
};
