import { CHASSIS_CATALOGUE } from '@tenure/contracts';
import { resourceKind } from './resource-kind.js';

/** The enclosure of nodes: a rack, or an enclosure of blades. */
export const CHASSIS = resourceKind({
  section: 'chassis',
  type: 'chassis',
  label: 'Chassis',
  path: 'chassis',
  collection: 'chassis',
  catalogue: CHASSIS_CATALOGUE,
  onNode: false,
  named: false,
  duplicate: (_field, { uuid }) => `A chassis with UUID ${String(uuid)} already exists.`,
});
