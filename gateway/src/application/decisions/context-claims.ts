import { type ContextResource, NO_OBLIGATIONS } from '@tenure/contracts';
import { type ContextStatement } from '@tenure/signed-context';
import { type Tenancy } from '../../ports/tenancy-source.js';
import { type Access, type NamedResource, type Verdict } from './access.js';

/** A verdict that lets the request through. */
export type Allowed = Extract<Verdict, { outcome: 'allow' }>;

/**
 * The part of a decision that the signed context carries to the executing service (docs/contracts/signed-context.md).
 * @param verdict null on a public route, which needs no decision
 * @param isRead whether the request only reads
 */
export function decisionClaims(
  access: Access | null,
  verdict: Allowed | null,
  isRead: boolean,
): Pick<ContextStatement, 'decision_id' | 'resources' | 'obligations'> {
  if (access === null || verdict === null)
    return { decision_id: null, resources: [], obligations: NO_OBLIGATIONS };
  const { decision, decisionId } = verdict;
  return {
    decision_id: decisionId,
    resources: resourcesOf(access, verdict),
    obligations: {
      filter: decision.filter,
      // A long list, which a request that only reads does not need.
      fields: { ...decision.fields, ...(isRead && { read_only: [] }) },
      set: decision.set,
      ...(decision.conditions !== undefined && { conditions: decision.conditions }),
    },
  };
}

function resourcesOf({ resource, within }: Access, { tenancies }: Allowed): ContextResource[] {
  const own = contextResources(resource, tenancies.own);
  const parent = contextResources(within?.resource ?? null, tenancies.parent);
  const isNew = ({ uuid }: ContextResource): boolean => own.every((other) => other.uuid !== uuid);
  return [...own, ...parent.filter(isNew)];
}

/** A resource and the node it belongs to, both with the tenancy revision of the node. */
function contextResources(
  resource: NamedResource | null,
  tenancy: Tenancy | undefined,
): readonly ContextResource[] {
  if (resource === null || tenancy === undefined) return [];
  const { uuid, tenancy_revision, node_uuid } = tenancy;
  const type = resource.loads.replace(/^node_/u, '');
  return [
    { type, uuid, tenancy_revision },
    ...(node_uuid === null ? [] : [{ type: 'node', uuid: node_uuid, tenancy_revision }]),
  ];
}
