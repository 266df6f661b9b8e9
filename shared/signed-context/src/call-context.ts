import { randomUUID } from 'node:crypto';
import {
  CallContext,
  type ContextClaims,
  formatMicroversion,
  MAX_MICROVERSION,
  NO_OBLIGATIONS,
} from '@tenure/contracts';

const MEMBERS = Object.keys(CallContext.properties) as (keyof CallContext)[]; // the schema's own keys

/** What a part passes on of a request when it calls another part for it. */
export const callContextOf = (claims: ContextClaims): CallContext =>
  Object.fromEntries(MEMBERS.map((member) => [member, claims[member]])) as unknown as CallContext; // each of its members, and no other

/**
 * The context of a call that nothing was decided for yet.
 * @param overrides what differs from a part's work for itself: a new request, no subject, the newest microversion
 */
export const newCallContext = (
  action: string,
  overrides: Partial<Omit<CallContext, 'action'>> = {},
): CallContext => ({
  request_id: `req-${randomUUID()}`,
  subject: null,
  action,
  decision_id: null,
  api_version: formatMicroversion(MAX_MICROVERSION),
  public_base: '',
  resources: [],
  obligations: NO_OBLIGATIONS,
  ...overrides,
});
