import { canonicalOutsideId, VOLUME_TARGET_CATALOGUE } from '@tenure/contracts';
import { resourceKind } from './resource-kind.js';

/** A volume that a node uses. */
export const VOLUME_TARGET = resourceKind({
  section: 'volume_targets',
  type: 'volume_target',
  label: 'Volume target',
  path: 'volume/targets',
  collection: 'targets',
  catalogue: VOLUME_TARGET_CATALOGUE,
  onNode: true,
  named: false,
  canonical: { volume_id: canonicalOutsideId },
  secretObjects: ['properties'],
  duplicate: (field, { uuid, boot_index: index }) =>
    field === 'uuid'
      ? `A volume target with UUID ${String(uuid)} already exists.`
      : `A volume target with boot index '${String(index)}' for the same node already exists.`,
});
