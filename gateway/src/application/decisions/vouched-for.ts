import { type ContextResource, NO_OBLIGATIONS } from '@tenure/contracts';
import { type ContextStatement } from '@tenure/signed-context';
import { type Tenancy } from '../../ports/tenancy-source.js';
import { type Access, type NamedResource, type Verdict } from './access.js';

/** A verdict that lets the request through. */
export type Allowed = Extract<Verdict, { outcome: 'allow' }>;

/**
 * What of a decision the executing service is told (docs/contracts/signed-context.md).
 * @param verdict null on a public route, for which nothing was decided
 * @param isRead whether the request only reads
 */
export function vouchedFor(
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
      // A long list, and who only reads writes nothing: it need not travel then.
      fields: { ...decision.fields, ...(isRead && { read_only: [] }) },
      set: decision.set,
      ...(decision.conditions !== undefined && { conditions: decision.conditions }),
    },
  };
}

function resourcesOf({ resource, within }: Access, { tenancies }: Allowed): ContextResource[] {
  const own = boundTo(resource, tenancies.own);
  const parent = boundTo(within?.resource ?? null, tenancies.parent);
  const isNew = ({ uuid }: ContextResource): boolean => own.every((other) => other.uuid !== uuid);
  return [...own, ...parent.filter(isNew)];
}

/** A thing, and the node that it hangs on: both with the node's revision. */
function boundTo(
  resource: NamedResource | null,
  tenancy: Tenancy | undefined,
): readonly ContextResource[] {
  if (resource === null || tenancy === undefined) return [];
  const { uuid, tenancy_revision, node_uuid } = tenancy;
  const type = resource.loads.replace(/^held_/u, '');
  return [
    { type, uuid, tenancy_revision },
    ...(node_uuid === null ? [] : [{ type: 'node', uuid: node_uuid, tenancy_revision }]),
  ];
}
