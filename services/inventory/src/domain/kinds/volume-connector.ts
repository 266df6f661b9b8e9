import { canonicalConnectorId, VOLUME_CONNECTOR_CATALOGUE } from '@tenure/contracts';
import { resourceKind } from './resource-kind.js';

/** The name of a node at remote storage. */
export const VOLUME_CONNECTOR = resourceKind({
  section: 'volume_connectors',
  type: 'volume_connector',
  label: 'Volume connector',
  path: 'volume/connectors',
  collection: 'connectors',
  catalogue: VOLUME_CONNECTOR_CATALOGUE,
  onNode: true,
  named: false,
  canonical: { connector_id: canonicalConnectorId },
  duplicate: (field, { uuid, type, connector_id: id }) =>
    field === 'uuid'
      ? `A volume connector with UUID ${String(uuid)} already exists.`
      : `A volume connector with type ${String(type)} and connector ID ${String(id)} already exists.`,
});
