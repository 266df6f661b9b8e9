import { type ContextClaims, isAllTenants } from '@tenure/contracts';
import { type RawQuery } from '../domain/list-query.js';

/** Value of `X-Tenure-Policy-Filter`: an operator must be able to distinguish an empty list from a filtered one. */
export function filterHeader({ obligations }: ContextClaims, raw: RawQuery): string {
  const { mode, predicates } = obligations.filter;
  if (mode === 'none') return 'none';
  const all = raw['all_tenants'];
  const isWhole = mode === 'all' && isAllTenants(typeof all === 'string' ? all : undefined);
  if (isWhole) return 'all';
  return [...new Set(['project_id', ...predicates.map(({ field }) => field)])].join(',');
}
