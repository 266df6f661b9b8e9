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

const HARDWARE = ['fake', 'redfish', 'ipmitool', 'ilo', 'irmc', 'idrac-redfish', 'agent', 'noop'];

// Of all hardware types together: this service does not know which of them a conductor runs, and a node may wait for
// one.
const INTERFACES: Readonly<Record<string, readonly string[]>> = {
  bios_interface: ['no-bios'],
  boot_interface: [
    'pxe',
    'ipxe',
    'http',
    'http-ipxe',
    'redfish-virtual-media',
    'redfish-https',
    'idrac-redfish-virtual-media',
    'ilo-pxe',
    'ilo-ipxe',
    'ilo-virtual-media',
    'ilo-uefi-https',
    'irmc-pxe',
    'irmc-virtual-media',
  ],
  console_interface: [
    'no-console',
    'fake-graphical',
    'redfish-graphical',
    'redfish-serial',
    'ipmitool-socat',
    'ipmitool-shellinabox',
  ],
  deploy_interface: [
    'direct',
    'ramdisk',
    'anaconda',
    'ansible',
    'autodetect',
    'bootc',
    'custom-agent',
  ],
  firmware_interface: ['no-firmware'],
  inspect_interface: ['no-inspect', 'inspector', 'idrac'],
  management_interface: ['ilo5', 'idrac', 'intel-ipmitool'],
  network_interface: ['flat', 'neutron'],
  power_interface: ['snmp', 'idrac'],
  raid_interface: ['no-raid', 'ilo5'],
  rescue_interface: ['no-rescue'],
  storage_interface: ['cinder', 'external'],
  vendor_interface: ['no-vendor', 'idrac'],
};

/** The interfaces that a node gets when it is created with a driver and names none. */
export function defaultInterfaces(driver: string): Readonly<Record<string, string | null>> {
  const other = driver === 'fake-hardware' ? 'fake' : null;
  return Object.fromEntries(
    INTERFACE_FIELDS.map((name) => [name, EVERYWHERE[name] ?? DEFAULTS[driver]?.[name] ?? other]),
  );
}

/** Whether some hardware type has an interface of this name; true for a field that names no interface. */
export const isSupportedInterface = (field: string, name: string): boolean =>
  !INTERFACE_FIELDS.includes(field) ||
  HARDWARE.includes(name) ||
  INTERFACES[field]?.includes(name) === true;
