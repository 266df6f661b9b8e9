import { type Identity, type KeystoneFacts } from '@tenure/tokens';
import { type RevocationEvent } from '../../ports/keystone.js';

/** The facts about a token that revocations match. */
export interface Revocable {
  readonly identity: Identity;
  readonly tokenSha256: string;
}

const NO_FACTS: KeystoneFacts = {
  role_ids: [],
  user_domain_id: null,
  scope_domain_id: null,
  trust_id: null,
  user_ids: [],
  consumer_id: null,
  access_token_id: null,
};

/** Whether a revocation revokes a token. */
export const revokes = (event: RevocationEvent, { identity, tokenSha256 }: Revocable): boolean =>
  Math.floor(identity.issuedAt) <= event.issuedBefore &&
  (event.expiresAt === undefined ||
    Math.floor(event.expiresAt) === Math.floor(identity.expiresAt)) &&
  matchesIds(event, identity, tokenSha256) &&
  matchesFacts(event, identity.keystone ?? NO_FACTS);

const matchesIds = (
  event: RevocationEvent,
  { subject, auditIds, keystone }: Identity,
  tokenSha256: string,
): boolean =>
  isOneOf(event.token_sha256, [tokenSha256]) &&
  isOneOf(event.audit_id, auditIds.slice(0, 1)) &&
  isOneOf(event.audit_chain_id, auditIds.slice(-1)) &&
  isOneOf(event.user_id, [subject.user_id, ...(keystone?.user_ids ?? [])]) &&
  isOneOf(event.project_id, [subject.project_id]);

const matchesFacts = (event: RevocationEvent, facts: KeystoneFacts): boolean =>
  isOneOf(event.domain_id, [facts.user_domain_id, facts.scope_domain_id]) &&
  isOneOf(event.domain_scope_id, [facts.scope_domain_id]) &&
  isOneOf(event.role_id, facts.role_ids) &&
  isOneOf(event.trust_id, [facts.trust_id]) &&
  isOneOf(event.consumer_id, [facts.consumer_id]) &&
  isOneOf(event.access_token_id, [facts.access_token_id]);

const isOneOf = (named: string | undefined, values: readonly (string | null)[]): boolean =>
  named === undefined || values.includes(named);
