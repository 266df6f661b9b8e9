import {
  hasGoodIds,
  type KeystoneToken,
  KeystoneTokenBody,
  matches,
  subjectOfKeystoneToken,
} from '@tenure/contracts';
import { type AccessRule, type Identity, type KeystoneFacts } from '@tenure/tokens';

/**
 * The identity in Keystone's answer; undefined when Tenure supports no such identity.
 * @throws Error when the body is not one of a validated token; its text does not quote the body
 */
export function identityOfBody(body: unknown): Identity | undefined {
  if (!matches(KeystoneTokenBody, body)) throw new Error('the answer of Keystone is malformed');
  const { token } = body;
  if (!hasGoodIds(token)) return undefined;
  return {
    subject: subjectOfKeystoneToken(token),
    issuedAt: secondsOf(token.issued_at),
    expiresAt: secondsOf(token.expires_at),
    auditIds: token.audit_ids,
    accessRules: rulesOf(token),
    keystone: factsOf(token),
  };
}

function secondsOf(time: string): number {
  const ms = Date.parse(time);
  if (Number.isNaN(ms)) throw new Error('a time in the answer of Keystone is malformed');
  return ms / 1000;
}

const rulesOf = ({ application_credential }: KeystoneToken): readonly AccessRule[] | null =>
  application_credential?.access_rules?.map(({ method, path, service }) => ({
    method,
    path,
    service,
  })) ?? null;

const factsOf = (token: KeystoneToken): KeystoneFacts => ({
  role_ids: (token.roles ?? []).map(({ id }) => id),
  user_domain_id: orNull(token.user.domain?.id),
  scope_domain_id: token.domain?.id ?? orNull(token.project?.domain?.id),
  trust_id: orNull(token['OS-TRUST:trust']?.id),
  user_ids: usersOf(token),
  consumer_id: orNull(token['OS-OAUTH1']?.consumer_id),
  access_token_id: orNull(token['OS-OAUTH1']?.access_token_id),
});

const orNull = (id: string | null | undefined): string | null => id ?? null;

function usersOf(token: KeystoneToken): readonly string[] {
  const trust = token['OS-TRUST:trust'];
  return trust === undefined
    ? [token.user.id]
    : [token.user.id, trust.trustor_user.id, trust.trustee_user.id];
}
