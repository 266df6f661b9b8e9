import { type KeypairRecord } from '@tenure/contracts';

type Members = Readonly<Record<string, unknown>>;

const TYPE_SINCE = 2;

/** A key pair in a list, and as the answer to its creation. */
export const keypairReference = (
  { name, public_key, fingerprint, type }: KeypairRecord,
  minor: number,
): Members => ({ name, public_key, fingerprint, ...(minor >= TYPE_SINCE && { type }) });

/** A key pair that was just made. */
export const createdKeypair = (keypair: KeypairRecord, minor: number): Members => ({
  ...keypairReference(keypair, minor),
  user_id: keypair.user_id,
});

/** One key pair, with all members of Nova's view. */
export const keypairView = (keypair: KeypairRecord, minor: number): Members => ({
  ...createdKeypair(keypair, minor),
  id: numberOf(keypair.uuid),
  created_at: `${keypair.created_at.slice(0, 19)}.000000`,
  deleted: false,
  deleted_at: null,
  updated_at: null,
});

/** Nova numbers its key pairs; clients show the number and use it for nothing. */
const numberOf = (uuid: string): number => Number.parseInt(uuid.slice(0, 7), 16);
