import {
  attachedVifOf,
  canonicalConnectorId,
  canonicalOutsideId,
  connectorSpellings,
} from '@tenure/contracts';
import { type ResourceSection, type Values } from './kinds/resource-kind.js';

/** Kinds of things that live elsewhere: at a network service, at a block storage service, in a storage fabric. */
export const CLAIM_KINDS = ['vif', 'volume', 'connector'] as const;
export type ClaimKind = (typeof CLAIM_KINDS)[number];

/** Sections of what hangs on a node and may name things of other services. */
export const NAMING_SECTIONS = [
  'ports',
  'portgroups',
  'volume_connectors',
  'volume_targets',
] as const;

/** A thing of another service, by its canonical id. */
export interface ExternalResource {
  readonly kind: ClaimKind;
  readonly id: string;
}

/** The thing that an id names, whatever its spelling: initiators go by the shortest one. */
export const externalResource = (kind: ClaimKind, id: string): ExternalResource => ({
  kind,
  id:
    kind === 'connector'
      ? (connectorSpellings(id)[0] ?? canonicalConnectorId(id))
      : canonicalOutsideId(id),
});

/** The uuid of the record of a claim. */
export const claimKey = ({ kind, id }: ExternalResource): string => `${kind}:${id}`;

/** The thing of another service that a record on a node names; undefined when it names none. */
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
