import {
  ATTACHED_VIF,
  attachedVifOf,
  type ContextClaims,
  type NodeRecord,
  type PolicyFilter,
} from '@tenure/contracts';
import { type Fields, without } from './members.js';

/** Where a VIF can be attached: to a port, or to several at once. */
export type PortKind = 'ports' | 'portgroups';

/** The members of a port's or portgroup's record that are used. */
export interface PortRecord {
  readonly uuid: string;
  readonly address: string | null;
  /** Of a port: the portgroup it is a member of. */
  readonly portgroup_uuid?: string | null;
  readonly pxe_enabled?: boolean;
  readonly internal_info: Fields;
}

export interface PortId {
  readonly kind: PortKind;
  readonly uuid: string;
}

/** Everything of a node that a VIF can be attached to. */
export interface Places {
  readonly ports: readonly PortRecord[];
  readonly portgroups: readonly PortRecord[];
}

export interface Place {
  readonly kind: PortKind;
  readonly record: PortRecord;
}

type Caller = Pick<ContextClaims, 'subject' | 'obligations'>;

/**
 * The owner of a VIF: a project; none yet (`free`), so that the first project that attaches it becomes its owner; the operator,
 * when it is in use on a machine without a tenant; or `missing`, when there is no such VIF.
 */
export type VifOwner =
  | { readonly kind: 'project'; readonly id: string }
  | { readonly kind: 'free' | 'operator' | 'missing' };

/** Where a VIF is attached; undefined when it is not. */
export const placeOf = (places: Places, vif: string): Place | undefined =>
  placesIn(places).find(({ record }) => vifOf(record) === vif);

/** Everything that a VIF is attached to, with it. */
export const attachmentsIn = (places: Places): readonly (Place & { readonly vif: string })[] =>
  placesIn(places).flatMap((place) => {
    const vif = vifOf(place.record);
    return vif === null ? [] : [{ ...place, vif }];
  });

/** `internal_info` with the VIF, and without any. */
export const withVif = ({ internal_info: info }: PortRecord, vif: string): Fields => ({
  ...info,
  [ATTACHED_VIF]: vif,
});
export const withoutVif = ({ internal_info: info }: PortRecord): Fields =>
  without(info, ATTACHED_VIF);

/** Where a VIF can be attached; the one the caller chose, if it is free. Undefined when nothing is free. */
export const freePlaceIn = (places: Places, chosen: PortId | undefined): Place | undefined =>
  placesIn(places)
    .filter((place) => isFree(place, places))
    .filter(
      ({ kind, record }) =>
        chosen === undefined || (chosen.kind === kind && chosen.uuid === record.uuid),
    )
    .toSorted((one, other) => rank(one, places) - rank(other, places))[0];

/** Whether the node has what the caller chose. */
export const hasPlace = (places: Places, chosen: PortId): boolean =>
  placesIn(places).some(({ kind, record }) => kind === chosen.kind && record.uuid === chosen.uuid);

/**
 * The project that a VIF is claimed for: the caller's project when the caller may use only its own VIFs, else the project that
 * has the machine. Null when there is none.
 */
export function claimantFor(
  { subject, obligations: { filter } }: Caller,
  node: NodeRecord,
): string | null {
  if (filter.mode !== 'any_of') return node.lessee ?? node.owner;
  const projects = projectsIn(filter);
  const own = subject?.project_id ?? null;
  return own !== null && projects.includes(own) ? own : (projects[0] ?? null);
}

/** Whether a VIF with this owner, or a free one, may be used under this filter. */
export function isUsable(filter: PolicyFilter, owner: VifOwner): boolean {
  if (owner.kind === 'missing') return false;
  if (filter.mode === 'all') return true;
  if (filter.mode === 'none') return false;
  const projects = projectsIn(filter);
  if (owner.kind === 'project') return projects.includes(owner.id);
  return owner.kind === 'free' && projects.length > 0;
}

const placesIn = ({ portgroups, ports }: Places): readonly Place[] => [
  ...portgroups.map((record) => ({ kind: 'portgroups' as const, record })),
  ...ports.map((record) => ({ kind: 'ports' as const, record })),
];

const vifOf = ({ internal_info: info }: PortRecord): string | null => attachedVifOf(info);

/** A port of a portgroup is not free by itself, and a portgroup without ports is nothing to attach to. */
const isFree = ({ kind, record }: Place, { ports }: Places): boolean =>
  vifOf(record) === null &&
  (kind === 'ports'
    ? (record.portgroup_uuid ?? null) === null
    : ports.some((port) => port.portgroup_uuid === record.uuid));

/** As Ironic: portgroups before ports, and what the machine boots from first. */
const rank = (place: Place, places: Places): number =>
  (place.kind === 'portgroups' ? 0 : 2) + (bootsFrom(place, places) ? 0 : 1);

const bootsFrom = ({ kind, record }: Place, { ports }: Places): boolean =>
  kind === 'ports'
    ? record.pxe_enabled === true
    : ports.some((port) => port.portgroup_uuid === record.uuid && port.pxe_enabled === true);

const projectsIn = ({ predicates }: PolicyFilter): readonly string[] =>
  predicates.filter(({ field }) => field === 'project_id').map(({ value }) => value);
