import {
  ConflictError,
  isUuid,
  type NewKeypair,
  type NewServer,
  NotFoundError,
  type ServerChange,
} from '@tenure/contracts';
import { minEpochOf } from '../domain/epochs.js';
import { DuplicateValueError } from '../ports/record-store.js';
import { type StoredKeypair, type StoredServer, type Stores } from '../ports/stores.js';

type ServerStores = Pick<Stores, 'servers'>;

/**
 * A server by its uuid; a name is no way to name one, for several may have the same.
 * @throws NotFoundError
 */
export async function findServer({ servers }: ServerStores, ident: string): Promise<StoredServer> {
  const found = isUuid(ident) ? await servers.findBy('uuid', ident.toLowerCase()) : undefined;
  if (found === undefined) throw NotFoundError.of('Server', ident);
  return found;
}

/** @throws ConflictError `duplicate` */
export async function insertServer(
  { servers }: ServerStores,
  fields: NewServer,
): Promise<StoredServer> {
  try {
    return await servers.insert((epoch) => ({
      ...fields,
      revision: epoch,
      tenancy_revision: epoch,
    }));
  } catch (error) {
    if (!(error instanceof DuplicateValueError)) throw error;
    throw new ConflictError('duplicate', `A server with UUID ${fields.uuid} already exists.`, {
      cause: error,
    });
  }
}

/**
 * Writes over the revision that the caller has seen.
 * @throws ConflictError `revision_conflict`
 */
export async function changeServer(
  { servers }: ServerStores,
  before: StoredServer,
  expectedRevision: number,
  set: ServerChange,
): Promise<StoredServer> {
  const after: StoredServer = { ...before, ...set, revision: before.revision + 1 };
  if (before.revision === expectedRevision && (await servers.swap(after, expectedRevision)))
    return after;
  throw revisionConflict(`Server ${before.uuid}`);
}

/** @throws ConflictError `revision_conflict` */
export async function removeServer(
  { servers }: ServerStores,
  before: StoredServer,
  expectedRevision: number,
): Promise<void> {
  if (
    before.revision !== expectedRevision ||
    !(await servers.remove(before.uuid, expectedRevision, minEpochOf(before)))
  )
    throw revisionConflict(`Server ${before.uuid}`);
}

/** @throws ConflictError `duplicate` when the user has a key pair of that name */
export async function insertKeypair(
  { keypairs }: Pick<Stores, 'keypairs'>,
  fields: NewKeypair,
): Promise<StoredKeypair> {
  try {
    return await keypairs.insert((epoch) => ({ ...fields, revision: epoch }));
  } catch (error) {
    if (!(error instanceof DuplicateValueError)) throw error;
    throw new ConflictError('duplicate', `Key pair '${fields.name}' already exists.`, {
      cause: error,
    });
  }
}

/**
 * Removes a key pair. Servers that were made with it keep their copy of the public half.
 * @throws NotFoundError
 */
export async function removeKeypair(
  { keypairs }: Pick<Stores, 'keypairs'>,
  uuid: string,
): Promise<void> {
  const found = await keypairs.findBy('uuid', uuid);
  // A key pair is never overwritten, so the second of two concurrent deletions finds none.
  if (found === undefined || !(await keypairs.remove(uuid, found.revision, found.revision)))
    throw NotFoundError.of('Keypair', uuid);
}

const revisionConflict = (what: string): ConflictError =>
  new ConflictError('revision_conflict', `${what} was changed by another.`);
