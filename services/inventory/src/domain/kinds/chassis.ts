import { CHASSIS_CATALOGUE } from '@tenure/contracts';
import { nullableText } from '../field-values.js';
import { resourceKind } from './resource-kind.js';

/** What nodes stand in: a rack, an enclosure of blades. */
export const CHASSIS = resourceKind({
  section: 'chassis',
  type: 'chassis',
  label: 'Chassis',
  path: 'chassis',
  collection: 'chassis',
  catalogue: CHASSIS_CATALOGUE,
  onNode: false,
  named: false,
  schemas: { description: nullableText(255) },
  duplicate: (_field, { uuid }) => `A chassis with UUID ${String(uuid)} already exists.`,
});
