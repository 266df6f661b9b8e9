import { type InventoryDocument } from '../document.js';

interface DemoNode {
  readonly serial: number;
  readonly name: string;
  readonly owner: string | null;
  readonly lessee: string | null;
  readonly traits?: readonly string[];
}

const CHASSIS = '00000000-0000-4000-8000-0000000000c1';

const uuidOf = (serial: number): string =>
  `00000000-0000-4000-8000-${String(serial).padStart(12, '0')}`;

const node = ({
  serial,
  name,
  owner,
  lessee,
  traits = [],
}: DemoNode): Readonly<Record<string, unknown>> => ({
  uuid: uuidOf(serial),
  name,
  owner,
  lessee,
  traits,
  driver: 'fake-hardware',
  driver_info: {},
  resource_class: 'baremetal',
  properties: { cpus: 64, memory_mb: 262_144, local_gb: 960, cpu_arch: 'x86_64' },
  provision_state: 'available',
  power_state: 'power off',
  chassis_uuid: CHASSIS,
  extra: { rack: 'r1' },
});

/** Two ports a node; the machine boots from the first. */
const portsOf = (serial: number): readonly Readonly<Record<string, unknown>>[] =>
  [1, 2].map((number) => ({
    uuid: `00000000-0000-4000-8000-0000000${String(number)}${String(serial).padStart(4, '0')}`,
    node_uuid: uuidOf(serial),
    address: `52:54:00:00:0${String(serial)}:0${String(number)}`,
    pxe_enabled: number === 1,
  }));

/** A small fleet for a first look: project-a owns two nodes and leases one that project-b owns; one belongs to nobody. */
export const DEMO_FLEET: InventoryDocument = {
  chassis: [{ uuid: CHASSIS, description: 'rack 1' }],
  nodes: [
    node({
      serial: 1,
      name: 'rack1-u01',
      owner: 'project-a',
      lessee: null,
      traits: ['CUSTOM_GPU'],
    }),
    node({ serial: 2, name: 'rack1-u02', owner: 'project-a', lessee: null }),
    node({ serial: 3, name: 'rack1-u03', owner: 'project-b', lessee: 'project-a' }),
    node({ serial: 4, name: 'rack1-u04', owner: 'project-b', lessee: null }),
    node({ serial: 5, name: 'rack1-u05', owner: null, lessee: null }),
  ],
  ports: [1, 2, 3, 4, 5].flatMap(portsOf),
};
