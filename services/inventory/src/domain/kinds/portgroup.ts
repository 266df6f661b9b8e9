import { PORTGROUP_CATALOGUE } from '@tenure/contracts';
import { resourceKind } from './resource-kind.js';

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
  lowerCase: ['address'],
  duplicate: (field, { uuid, name, address }) => {
    if (field === 'address')
      return `A portgroup with MAC address ${String(address)} already exists.`;
    return field === 'name'
      ? `A portgroup with name ${String(name)} already exists.`
      : `A portgroup with UUID ${String(uuid)} already exists.`;
  },
});
