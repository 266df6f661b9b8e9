import {
  attachedVifOf,
  canonicalConnectorId,
  canonicalOutsideId,
  connectorSpellings,
} from '@tenure/contracts';
import { type ResourceSection, type Values } from './kinds/resource-kind.js';

/** Kinds of resources of other services: a network service, a block storage service, a storage fabric. */
export const CLAIM_KINDS = ['vif', 'volume', 'connector'] as const;
export type ClaimKind = (typeof CLAIM_KINDS)[number];

/** Sections of records that belong to a node and may name resources of other services. */
export const NAMING_SECTIONS = [
  'ports',
  'portgroups',
  'volume_connectors',
  'volume_targets',
] as const;

/** A resource of another service, by its canonical id. */
export interface ExternalResource {
  readonly kind: ClaimKind;
  readonly id: string;
}

/** The resource with an id, in any spelling: the shortest spelling of an initiator is the canonical one. */
export const externalResource = (kind: ClaimKind, id: string): ExternalResource => ({
  kind,
  id:
    kind === 'connector'
      ? (connectorSpellings(id)[0] ?? canonicalConnectorId(id))
      : canonicalOutsideId(id),
});

/** The uuid of the record of a claim. */
export const claimKey = ({ kind, id }: ExternalResource): string => `${kind}:${id}`;

/** The resource of another service that a record on a node names; undefined when it names none. */
export function externalResourceIn(
  section: ResourceSection,
  values: Values,
): ExternalResource | undefined {
  if (section === 'volume_targets') return idIn(values, 'volume_id', 'volume');
  if (section === 'volume_connectors') return idIn(values, 'connector_id', 'connector');
  const vif = attachedVifOf(values['internal_info']);
  return vif === null ? undefined : externalResource('vif', vif);
}

function idIn(values: Values, field: string, kind: ClaimKind): ExternalResource | undefined {
  const id = values[field];
  return typeof id === 'string' && id !== '' ? externalResource(kind, id) : undefined;
}
