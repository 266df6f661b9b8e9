import { AccessDeniedError, type Decision } from '@tenure/contracts';
import { type Access } from './access.js';
import { type Authorizer } from './authorizer.js';

/**
 * Denies a request that is allowed only under an obligation that a real Nova would not enforce. Nova enforces locks by itself,
 * and its scheduler chooses the nodes for new servers.
 */
export const denyUnenforceable = ({ authorize }: Authorizer): Authorizer => ({
  authorize: async (access, fresh) => {
    const verdict = await authorize(access, fresh);
    if (verdict.outcome === 'deny' || access.api !== 'compute') return verdict;
    return isEnforceable(verdict.decision, access)
      ? verdict
      : {
          outcome: 'deny',
          decisionId: verdict.decisionId,
          error: new AccessDeniedError(access.action),
        };
  },
});

function isEnforceable(decision: Decision, { isList, subject }: Access): boolean {
  const { set, fields } = decision;
  const isOwn = set.owner === undefined || set.owner === subject.project_id;
  const isFiltered = !isList || isEnforcedByNova(decision, subject.project_id);
  return isOwn && isFiltered && fields.masked.length === 0;
}

/** Whether Nova applies the filter by itself: it returns the rows of the token's project unless all tenants are requested. */
function isEnforcedByNova({ filter }: Decision, project: string | null): boolean {
  if (filter.mode === 'all') return true;
  const [only, ...others] = filter.predicates;
  return (
    filter.mode === 'any_of' &&
    others.length === 0 &&
    only?.field === 'project_id' &&
    only.value === project
  );
}
