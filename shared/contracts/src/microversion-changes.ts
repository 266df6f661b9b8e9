// Changes of a microversion (minor) that are neither a field of a catalogue, nor a list parameter, nor a route: those say it
// in their own rows. docs/microversions.md is made of all of them.

interface Change {
  readonly minor: number;
  /** The change, for clients of this version or a newer one. */
  readonly about: string;
}

/** Changes of behaviour. */
export const CHANGE = {
  availableState: {
    minor: 2,
    about: 'A node that is free has the state `available`; before, its state was null.',
  },
  freeNames: { minor: 10, about: 'The name of a node need not be a host name.' },
  enrolState: { minor: 11, about: 'A new node is in `enroll`; before, it was `available`.' },
  softPower: {
    minor: 27,
    about: '`soft power off`, `soft rebooting`, and the time-out of a power change.',
  },
  rebuildWithDrive: { minor: 35, about: 'A rebuild accepts a config drive.' },
  inspectWaitState: {
    minor: 39,
    about:
      'A node that waits for its inspection is in `inspect wait`; before, it was `inspecting`.',
  },
  driveAsObject: { minor: 56, about: 'A config drive may be a JSON object.' },
  backfill: { minor: 58, about: 'An allocation may be created for a node that is in use: `node`.' },
  vendorData: { minor: 59, about: 'A config drive may have `vendor_data`.' },
  vifPlaces: { minor: 67, about: 'A VIF may be attached to a port or port group of choice.' },
  biosRegistry: {
    minor: 74,
    about:
      'BIOS settings have what the attribute registry says of them, and accept `fields` and `detail`.',
  },
  reservedSteps: {
    minor: 85,
    about: 'The reserved steps `hold`, `wait`, `power_on`, `power_off` and `reboot`.',
  },
  portNames: { minor: 88, about: 'Ports are also found by name.' },
  noSuffix: {
    minor: 91,
    about: 'A path that ends in `.json` is no longer the same path without it.',
  },
  nodeNamesInBodies: {
    minor: 94,
    about: 'The body of a new port or port group may name its node instead of giving its UUID.',
  },
  firmwareOrigin: {
    minor: 114,
    about: 'Firmware components have vendor, model and serial number.',
  },
} as const satisfies Record<string, Change>;

/** Targets of `PUT /v1/nodes/{ident}/states/provision`, and the verb of the state machine for each. */
export const PROVISION_TARGET = {
  active: { since: 1, event: 'deploy' },
  deploy: { since: 73, event: 'deploy' },
  deleted: { since: 1, event: 'delete' },
  undeploy: { since: 73, event: 'delete' },
  rebuild: { since: 1, event: 'rebuild' },
  manage: { since: 4, event: 'manage' },
  provide: { since: 4, event: 'provide' },
  inspect: { since: 6, event: 'inspect' },
  abort: { since: 13, event: 'abort' },
  clean: { since: 15, event: 'clean' },
  adopt: { since: 17, event: 'adopt' },
  rescue: { since: 38, event: 'rescue' },
  unrescue: { since: 38, event: 'unrescue' },
  unhold: { since: 85, event: 'unhold' },
  service: { since: 87, event: 'service' },
} as const;

/** Members of its body beside `target`, where they are not as old as their verb. */
export const PROVISION_PARAMETER_SINCE = {
  clean_steps: 15,
  rescue_password: 38,
  deploy_steps: 69,
  disable_ramdisk: 70,
  service_steps: 87,
  runbook: 92,
} as const;

/** Members of a heartbeat's body that came later. */
export const HEARTBEAT_MEMBER_SINCE = {
  agent_version: 36,
  agent_token: 62,
  agent_verify_ca: 68,
  agent_status: 72,
  agent_status_message: 72,
} as const;

/** Interface types in the view of a driver. */
export const DRIVER_INTERFACE_SINCE = {
  bios: 40,
  boot: 30,
  console: 30,
  deploy: 30,
  firmware: 86,
  inspect: 30,
  management: 30,
  network: 30,
  power: 30,
  raid: 30,
  rescue: 38,
  storage: 33,
  vendor: 30,
} as const;

/** Members of a driver. */
export const DRIVER_MEMBER_SINCE: Readonly<Record<string, number>> = {
  name: 1,
  hosts: 1,
  links: 1,
  properties: 14,
  type: 30,
  ...Object.fromEntries(
    Object.entries(DRIVER_INTERFACE_SINCE).flatMap(([type, since]) => [
      [`default_${type}_interface`, since],
      [`enabled_${type}_interfaces`, since],
    ]),
  ),
};

/** Parameters of the list of drivers. */
export const DRIVER_PARAMETER_SINCE = { type: 30, detail: 30, fields: 77 } as const;
