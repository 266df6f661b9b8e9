import { Type } from '@sinclair/typebox';
import { BadRequestError, parse, TenancyId } from '@tenure/contracts';
import { assertMembersAt, exactly } from './server-members.js';

const OWN_KEY_SINCE = 92;

const KeypairBody = exactly({
  keypair: exactly({
    name: Type.String({
      minLength: 1,
      maxLength: 255,
      pattern: '^[a-zA-Z0-9@._ -]+$',
    }),
    public_key: Type.Optional(Type.String({ minLength: 1, maxLength: 16_384 })),
    type: Type.Optional(Type.Union([Type.Literal('ssh'), Type.Literal('x509')])),
    user_id: Type.Optional(TenancyId),
  }),
});

const SINCE: Readonly<Record<string, number>> = { type: 2, user_id: 10 };

/** A requested key pair. */
export interface KeypairRequest {
  readonly name: string;
  readonly type: 'ssh' | 'x509';
  /** Undefined: one is to be made. */
  readonly public_key: string | undefined;
  /** Undefined: the caller's own. */
  readonly user_id: string | undefined;
}

/**
 * The body of `POST /os-keypairs`.
 * @param minor microversion: 2.`minor`
 * @throws BadRequestError
 */
export function readKeypairRequest(body: unknown, minor: number): KeypairRequest {
  const { keypair } = parse(KeypairBody, body, 'keypair');
  assertMembersAt(keypair, SINCE, { what: 'keypair', minor });
  const { name, type = 'ssh', public_key, user_id } = keypair;
  // Older microversions create a pair when no key is sent, but never a certificate.
  if (public_key === undefined && (minor >= OWN_KEY_SINCE || type === 'x509'))
    throw new BadRequestError(
      "Invalid input for field/attribute keypair. 'public_key' is a required property",
    );
  return { name, type, public_key, user_id };
}
