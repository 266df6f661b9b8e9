import { type Condition, type RecordQuery } from '../ports/record-store.js';

/** Every record for which all conditions hold, in the order of creation. For kinds of which there are few. */
export const allWhere = (...where: readonly Condition[]): RecordQuery => ({
  anyOf: null,
  where,
  order: { field: null, descending: false },
  after: null,
  limit: 10_000,
});
