import { type Query } from '../../routes/query.js';

/** The cost of a failed agent request for the limit of its network: a lookup counts once for each MAC address that it tries. */
export const agentCostOf = (query: Query): number => query.get('addresses')?.split(',').length ?? 1;
