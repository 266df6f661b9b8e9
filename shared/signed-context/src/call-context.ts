import { randomUUID } from 'node:crypto';
import {
  CallContext,
  type ContextClaims,
  formatMicroversion,
  MAX_MICROVERSION,
  NO_OBLIGATIONS,
} from '@tenure/contracts';

const MEMBERS = Object.keys(CallContext.properties) as (keyof CallContext)[]; // the schema's own keys

/** The facts about a request that a part passes on when it calls another part for it. */
export const callContextOf = (claims: ContextClaims): CallContext =>
  Object.fromEntries(MEMBERS.map((member) => [member, claims[member]])) as unknown as CallContext; // each of its members, and no other

/**
 * The context of a call without a decision.
 * @param overrides differences from the defaults: a new request id, no subject, the newest microversion
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
