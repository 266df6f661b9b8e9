import { type CallContext, NO_OBLIGATIONS } from '@tenure/contracts';

/** The context of a call to the inventory by which a part takes a lock. */
export const LOCK_CONTEXT: CallContext = {
  request_id: 'req-1',
  subject: null,
  action: 'lock',
  decision_id: null,
  api_version: '1.65',
  public_base: 'http://localhost',
  resources: [],
  obligations: NO_OBLIGATIONS,
};
