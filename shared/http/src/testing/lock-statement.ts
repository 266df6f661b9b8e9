import { NO_OBLIGATIONS } from '@tenure/contracts';
import { type ServiceCall } from '../service-client.js';

/** What a part states of a call to the inventory by which it takes a lock. */
export const LOCK_STATEMENT: ServiceCall['statement'] = {
  aud: 'inventory',
  request_id: 'req-1',
  subject: null,
  action: 'lock',
  decision_id: null,
  api_version: '1.65',
  public_base: 'http://localhost',
  resources: [],
  obligations: NO_OBLIGATIONS,
};
