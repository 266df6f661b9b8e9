import { Type } from '@sinclair/typebox';

/** `user_id` of a request about key pairs. */
export const KeypairUser = Type.String({ maxLength: 255 });

/** The members of a new key pair's body that decide which user owns it. */
export const KeypairOwner = Type.Object({
  keypair: Type.Object({ user_id: Type.Optional(KeypairUser) }),
});

/**
 * The user whose key pairs a request is about. One function for the gateway, which asks the policy about this user, and for
 * the compute service, which acts on it: they cannot differ.
 * @param named `user_id` of the query, or of the body of a new key pair; absent and empty say the caller's own
 * @param caller id of the user who asks
 */
export const keypairUser = (named: string | undefined, caller: string): string =>
  named === undefined || named === '' ? caller : named;
