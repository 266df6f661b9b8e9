import { createPublicKey, type KeyObject } from 'node:crypto';
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { type HandoverStatement, matches } from '@tenure/contracts';
import {
  algorithmOf,
  isSignedBy,
  MalformedJws,
  parseJws,
  signJws,
  type UnverifiedJws,
} from '@tenure/jws';

const Seq = Type.Integer({ minimum: 0 });
const Hash = Type.String({ minLength: 43, maxLength: 43 });
const Instance = Type.String({ minLength: 1, maxLength: 255 });
const exactly = { additionalProperties: false };
/** Characters of a signed statement; most have some 500. */
const MAX_LENGTH = 16_384;

/** The signed end of a log. It is rewritten continually, so that a truncated log is detected. */
export const Head = Type.Object(
  {
    typ: Type.Literal('head'),
    instance: Instance,
    /** The last record, and the segment it is in. */
    segment: Seq,
    seq: Seq,
    hash: Hash,
    /** The oldest segment that is kept, and the record before its first. */
    first_segment: Seq,
    first_seq: Seq,
    first_prev: Hash,
    at: Type.String({ maxLength: 64 }),
  },
  exactly,
);
export type Head = Static<typeof Head>;

/** The signed extent of a closed segment. */
export const SegmentSeal = Type.Object(
  {
    typ: Type.Literal('segment'),
    instance: Instance,
    segment: Seq,
    /** The record before the first. */
    first_seq: Seq,
    first_prev: Hash,
    last_seq: Seq,
    last_hash: Hash,
    at: Type.String({ maxLength: 64 }),
  },
  exactly,
);
export type SegmentSeal = Static<typeof SegmentSeal>;

/** A statement as a compact JWS, signed with ES256. @param key a private key on P-256 */
export const signStatement = (
  statement: Head | SegmentSeal | HandoverStatement,
  key: KeyObject,
): string => signJws(statement, { alg: 'ES256', key });

/**
 * A signed statement of a kind.
 * @param keys public keys of which one must have signed: several while a key is replaced
 * @returns undefined when none of them signed it, or it is of another kind
 */
export function readStatement<S extends TSchema>(
  schema: S,
  text: string,
  keys: readonly KeyObject[],
): Static<S> | undefined {
  const jws = parsed(text);
  if (jws === undefined || !keys.some((key) => isSignedBy(jws, { alg: 'ES256', key })))
    return undefined;
  return matches(schema, jws.payload) ? jws.payload : undefined;
}

/**
 * Keys from PEM text that holds one or several; of a private key the public half.
 * @throws Error when a key is none, or no key on P-256
 */
export function publicKeysOf(pem: string): readonly KeyObject[] {
  const blocks = pem.match(/-----BEGIN [A-Z ]+-----[^-]+-----END [A-Z ]+-----/gu) ?? [];
  if (blocks.length === 0) throw new Error('there is no key in PEM form');
  return blocks.map((block) => {
    const key = createPublicKey(block);
    if (algorithmOf(key) !== 'ES256')
      throw new Error('a key that signs records must be an EC key on P-256');
    return key;
  });
}

function parsed(text: string): UnverifiedJws | undefined {
  try {
    return parseJws(text.trim(), MAX_LENGTH);
  } catch (error) {
    if (error instanceof MalformedJws) return undefined;
    throw error;
  }
}
