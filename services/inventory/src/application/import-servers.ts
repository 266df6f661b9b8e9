import { type Static, type TSchema } from '@sinclair/typebox';
import { NewKeypair, NewServer, parse } from '@tenure/contracts';
import { type Row } from '../domain/import-rows.js';
import { KEYPAIR_SHAPE } from '../ports/shapes.js';
import { type StoredKeypair, type StoredServer, type Stores } from '../ports/stores.js';
import { mergeInChunks } from './merge-in-chunks.js';

/** Loads servers; the next compute replica that takes an unfinished task continues it. */
export async function importServers(
  { servers }: Pick<Stores, 'servers'>,
  rows: readonly Row[],
): Promise<void> {
  const records = checkedRows('servers', NewServer, rows).map((row): StoredServer => ({
    ...row,
    task: row.task === null ? null : { ...row.task, holder: null, held_until: null },
    revision: 0,
    tenancy_revision: 0,
  }));
  await mergeInChunks('servers', { store: servers, unique: [], combine: grownServer }, records);
}

/** Loads key pairs. */
export async function importKeypairs(
  { keypairs }: Pick<Stores, 'keypairs'>,
  rows: readonly Row[],
): Promise<void> {
  const records = checkedRows('keypairs', NewKeypair, rows).map((row): StoredKeypair => ({
    ...row,
    revision: 0,
  }));
  const combine = (
    existing: StoredKeypair | undefined,
    incoming: StoredKeypair,
    epoch: number,
  ): StoredKeypair => ({
    ...incoming,
    revision: existing === undefined ? epoch : existing.revision + 1,
  });
  const { unique } = KEYPAIR_SHAPE;
  await mergeInChunks('keypairs', { store: keypairs, unique, combine }, records);
}

const checkedRows = <S extends TSchema>(
  section: string,
  schema: S,
  rows: readonly Row[],
): readonly Static<S>[] =>
  rows.map((row, index) => parse(schema, row, `${section}[${String(index)}]`));

/** The numbers that bind decisions to a server never decrease, and grow when it gets another project. */
function grownServer(
  existing: StoredServer | undefined,
  incoming: StoredServer,
  epoch: number,
): StoredServer {
  if (existing === undefined) return { ...incoming, revision: epoch, tenancy_revision: epoch };
  const isMoved =
    existing.project_id !== incoming.project_id || existing.user_id !== incoming.user_id;
  return {
    ...incoming,
    revision: existing.revision + 1,
    tenancy_revision: existing.tenancy_revision + (isMoved ? 1 : 0),
  };
}
