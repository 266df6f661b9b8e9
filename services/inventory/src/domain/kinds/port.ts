import { BadRequestError, isMacAddress, PORT_CATALOGUE } from '@tenure/contracts';
import { resourceKind, type Values } from './resource-kind.js';

const LINK_MEMBERS: ReadonlySet<string> = new Set([
  'switch_id',
  'port_id',
  'switch_info',
  'network_type',
  'hostname',
  'vtep-logical-switch',
  'vtep-physical-switch',
]);
// Of OpenFlow: 64 bits, in hexadecimal or as bytes.
const DATAPATH_ID = /^(?:0x)?[0-9a-f]{16}$|^[0-9a-f]{2}(?::[0-9a-f]{2}){7}$/iu;

const missing = (link: Values, names: readonly string[]): readonly string[] =>
  names.filter((name) => !Object.hasOwn(link, name));

/** A network interface of a node. */
export const PORT = resourceKind({
  section: 'ports',
  type: 'port',
  label: 'Port',
  path: 'ports',
  collection: 'ports',
  catalogue: PORT_CATALOGUE,
  onNode: true,
  named: true,
  lowerCase: ['address'],
  assertWhole: assertLocalLink,
  duplicate: (field, { uuid, name, address }) => {
    if (field === 'address') return `A port with MAC address ${String(address)} already exists.`;
    return field === 'name'
      ? `A port with name ${String(name)} already exists.`
      : `A port with UUID ${String(uuid)} already exists.`;
  },
});

/** The switch port of a port, or the host of a smart network card. */
function assertLocalLink({ local_link_connection: value }: Values): void {
  const link = value as Values; // an object on every port
  const unknown = Object.keys(link).find((name) => !LINK_MEMBERS.has(name));
  if (unknown !== undefined)
    throw new BadRequestError(
      `Schema error for local_link_connection: Additional properties are not allowed ('${unknown.slice(0, 64)}' was unexpected)`,
    );
  assertSwitch(link);
  if (Object.keys(link).length === 0 || link['network_type'] === 'unmanaged') return;
  const lacking = missing(link, ['port_id', 'switch_id']);
  if (lacking.length > 0 && missing(link, ['port_id', 'hostname']).length > 0)
    throw new BadRequestError(
      `Missing mandatory keys in local_link_connection: ${lacking.join(', ')}`,
    );
}

function assertSwitch({ switch_id: id }: Values): void {
  if (id === undefined) return;
  if (typeof id !== 'string' || !(isMacAddress(id) || DATAPATH_ID.test(id)))
    throw new BadRequestError(
      'Invalid switch_id in local_link_connection: it must be a MAC address or an OpenFlow datapath ID.',
    );
}
