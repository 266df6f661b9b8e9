import { type Query } from '../../routes/query.js';

/** What a failed request of an agent costs its network: a lookup tries as many names as it has addresses. */
export const agentCostOf = (query: Query): number => query.get('addresses')?.split(',').length ?? 1;
