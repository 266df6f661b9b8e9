import { NO_OBLIGATIONS } from '@tenure/contracts';
import { type ContextStatement } from '@tenure/signed-context';
import { type Access, type Verdict } from './authorizer.js';

/** A verdict that lets the request through. */
export type Allowed = Extract<Verdict, { outcome: 'allow' }>;

/**
 * What of a decision the executing service is told (docs/contracts.md, "The signed context").
 * @param verdict null on a public route, for which nothing was decided
 * @param isRead whether the request only reads
 */
export const vouchedFor = (
  access: Access | null,
  verdict: Allowed | null,
  isRead: boolean,
): Pick<ContextStatement, 'decision_id' | 'resources' | 'obligations'> => {
  if (verdict === null) return { decision_id: null, resources: [], obligations: NO_OBLIGATIONS };
  const { decision, decisionId, tenancy } = verdict;
  const type = access?.resource?.type;
  return {
    decision_id: decisionId,
    resources:
      tenancy === null || type === undefined
        ? []
        : [{ type, uuid: tenancy.uuid, tenancy_revision: tenancy.tenancy_revision }],
    obligations: {
      filter: decision.filter,
      // A long list, and who only reads writes nothing: it need not travel then.
      fields: { ...decision.fields, ...(isRead && { read_only: [] }) },
      set: decision.set,
      ...(decision.conditions !== undefined && { conditions: decision.conditions }),
    },
  };
};
