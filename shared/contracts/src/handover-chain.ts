import { hash } from 'node:crypto';
import { type Static, Type } from '@sinclair/typebox';
import { canonicalJson } from './canonical-json.js';
import { type HandoverRecord } from './handover-record.js';

const Digest = Type.String({ minLength: 43, maxLength: 43 });
const Uuid = Type.String({ minLength: 36, maxLength: 36 });

/** The statement that a completed handover's signature covers: this record, with this digest, is that link of the node's chain. */
export const HandoverStatement = Type.Object(
  {
    typ: Type.Literal('handover'),
    uuid: Uuid,
    node_uuid: Uuid,
    number: Type.Integer({ minimum: 1 }),
    previous: Type.Union([Digest, Type.Null()]),
    digest: Digest,
    completed_at: Type.String({ maxLength: 64 }),
  },
  { additionalProperties: false },
);
export type HandoverStatement = Static<typeof HandoverStatement>;

/** Where the chain of a node's completed handovers ends; the node keeps it, so that a record which is removed is missed. */
export const CustodyHead = Type.Object({
  count: Type.Integer({ minimum: 0 }),
  digest: Type.Union([Digest, Type.Null()]),
});
export type CustodyHead = Static<typeof CustodyHead>;

/** Of a node of which no handover has completed. */
export const NO_HANDOVERS: CustodyHead = { count: 0, digest: null };

/** The members that a completion adds to a record. */
export type CustodyStamp = Pick<HandoverStatement, 'number' | 'previous' | 'digest'> & {
  readonly signature: string;
};

/** The members that the digest covers as they are. `sealed` is covered by its own digest. */
const COVERED = [
  'uuid',
  'node_uuid',
  'cause',
  'status',
  'phase',
  'owner',
  'from_project',
  'to_project',
  'plan',
  'reason',
  'decision_id',
  'request_id',
  'user_id',
  'lease_uuid',
  'allocation_uuid',
  'agent',
  'steps',
  'erased',
  'put_back',
  'firmware',
  'opened_at',
  'completed_at',
  'number',
  'previous',
] as const satisfies readonly (keyof HandoverRecord)[];

/** Completed handovers of a node of which `sealed` stays stored; of older ones its digest does. */
export const SEALED_KEPT = 20;

/**
 * The digest of what a former tenant had written, for those who may know that something was sealed but not what.
 * @returns null when nothing was
 */
export function sealedDigest({
  sealed,
  sealed_digest: stored,
}: Pick<HandoverRecord, 'sealed' | 'sealed_digest'>): string | null {
  if (stored !== undefined) return stored;
  return Object.keys(sealed).length === 0 ? null : digestOf(sealed);
}

/**
 * The digest of a completed handover with its place in the chain: SHA-256 of canonical JSON, in base64url. An auditor
 * without access to `sealed` can compute it, too.
 */
export const handoverDigest = (record: HandoverRecord): string =>
  digestOf({
    ...Object.fromEntries(COVERED.map((name) => [name, record[name] ?? null])),
    sealed_digest: sealedDigest(record),
  });

const digestOf = (value: unknown): string => hash('sha256', canonicalJson(value), 'base64url');
