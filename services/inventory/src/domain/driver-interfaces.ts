import { NODE_FIELDS } from '@tenure/contracts';

export const INTERFACE_FIELDS: readonly string[] = NODE_FIELDS.map(({ name }) => name).filter(
  (name) => name.endsWith('_interface'),
);

/** Drivers that may be named before any conductor has reported. */
export const BUILT_IN_DRIVERS = ['fake-hardware', 'redfish'] as const;

const EVERYWHERE: Readonly<Record<string, string>> = {
  network_interface: 'noop',
  storage_interface: 'noop',
};

const DEFAULTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  redfish: {
    bios_interface: 'redfish',
    boot_interface: 'redfish-virtual-media',
    console_interface: 'no-console',
    deploy_interface: 'direct',
    firmware_interface: 'redfish',
    inspect_interface: 'redfish',
    management_interface: 'redfish',
    power_interface: 'redfish',
    raid_interface: 'redfish',
    rescue_interface: 'no-rescue',
    vendor_interface: 'redfish',
  },
};

/** The interfaces that a node gets when it is created with a driver and names none. */
export const defaultInterfaces = (driver: string): Readonly<Record<string, string | null>> => {
  const other = driver === 'fake-hardware' ? 'fake' : null;
  return Object.fromEntries(
    INTERFACE_FIELDS.map((name) => [name, EVERYWHERE[name] ?? DEFAULTS[driver]?.[name] ?? other]),
  );
};
