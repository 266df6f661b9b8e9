import { Type } from '@sinclair/typebox';
import { PORTGROUP_CATALOGUE } from '@tenure/contracts';
import { nullableText } from '../field-values.js';
import { NullableMacAddress } from './mac-address.js';
import { resourceKind } from './resource-kind.js';

/** Modes of Linux's bonding driver, by name or number; others are a matter of the switch, so any word is one. */
const Mode = Type.Union([
  Type.String({ minLength: 1, maxLength: 255, pattern: '^[A-Za-z0-9][A-Za-z0-9_.+-]*$' }),
  Type.Null(),
]);

/** Several ports of a node that act as one. */
export const PORTGROUP = resourceKind({
  section: 'portgroups',
  type: 'portgroup',
  label: 'Portgroup',
  path: 'portgroups',
  collection: 'portgroups',
  catalogue: PORTGROUP_CATALOGUE,
  onNode: true,
  named: true,
  schemas: {
    address: NullableMacAddress,
    mode: Mode,
    physical_network: nullableText(64, 1),
    category: nullableText(80),
  },
  lowerCase: ['address'],
  duplicate: (field, { uuid, name, address }) => {
    if (field === 'address')
      return `A portgroup with MAC address ${String(address)} already exists.`;
    return field === 'name'
      ? `A portgroup with name ${String(name)} already exists.`
      : `A portgroup with UUID ${String(uuid)} already exists.`;
  },
});
