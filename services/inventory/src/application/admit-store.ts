import {
  doubtOn,
  EMBEDDED,
  type FoundStore,
  type StoreDoubt,
  type StoreMark,
} from '../domain/registered-stores.js';
import { type OpenStore } from '../ports/open-store.js';
import { type StoreMemory } from '../ports/store-memory.js';

/** A store that is open, where it is, and what the data directory remembers. */
export interface AdmittedStore extends Pick<OpenStore, 'schema' | 'marks'> {
  readonly place: string;
  readonly memory: StoreMemory;
}

const RESTORE_EMBEDDED =
  'Find the volume or directory that has it, or run `tenure restore FILE` with a backup.';
const RESTORE_MONGODB =
  'Check MONGODB_URI and MONGODB_DATABASE, or restore a backup and run `tenure migrate --restored`.';
const BEGIN_EMPTY =
  'To begin with an empty fleet and discard what is remembered, run `tenure migrate --empty`.';
const ACCEPT = 'If it is to be used, run `tenure migrate --restored`.';

const MESSAGES: Readonly<Record<StoreDoubt, (isEmbedded: boolean) => string>> = {
  lost: (isEmbedded) =>
    `The store is empty or missing, but this data directory was used with one before. ${
      isEmbedded ? RESTORE_EMBEDDED : RESTORE_MONGODB
    } ${BEGIN_EMPTY}`,
  elsewhere: () =>
    `There is no embedded store, and this data directory was used with a MongoDB: set MONGODB_URI_FILE or MONGODB_URI. ${BEGIN_EMPTY}`,
  other: () =>
    `The store is not the one that this data directory was used with. Put the right one in its place. ${ACCEPT}`,
  older: () =>
    `The store is older than what this data directory remembers of it, as after a restore. ${ACCEPT}`,
};

/** The store may not be used as it is; the message names the commands that are right. */
class DoubtfulStoreError extends Error {
  readonly doubt: StoreDoubt;

  constructor(doubt: StoreDoubt, place: string) {
    super(MESSAGES[doubt](place === EMBEDDED));
    this.name = 'DoubtfulStoreError';
    this.doubt = doubt;
  }
}

/**
 * Makes sure that a store is the one that the data directory remembers. Changes nothing.
 * @throws Error that names the right commands
 */
export async function admitStore(admitted: AdmittedStore): Promise<void> {
  const doubt = doubtOn(await foundIn(admitted));
  if (doubt !== undefined) throw new DoubtfulStoreError(doubt, admitted.place);
}

/**
 * Makes sure that there is a store to accept after a restore. Changes nothing.
 * @throws Error that names the right commands, when it is empty
 */
export async function admitRestored(admitted: AdmittedStore): Promise<void> {
  const found = await foundIn(admitted);
  const doubt = found.isEmpty ? doubtOn(found) : undefined;
  if (doubt !== undefined) throw new DoubtfulStoreError(doubt, admitted.place);
}

/** @throws Error when the store has records */
export async function admitEmpty({ schema }: Pick<OpenStore, 'schema'>): Promise<void> {
  if (await schema.hasData())
    throw new Error('The store is not empty, so there is nothing to begin with.');
}

/**
 * Raises the marker of a store, then records it in the data directory: the recorded marker is never ahead of the store.
 * @throws AppError 503 or 507, or Error when it cannot be recorded
 */
export async function markStore(
  { place, memory, marks }: Pick<AdmittedStore, 'place' | 'memory' | 'marks'>,
  by = 1,
): Promise<StoreMark> {
  const mark = await marks.advance(by);
  await memory.remember(place, mark);
  return mark;
}

const foundIn = async ({ place, memory, ...store }: AdmittedStore): Promise<FoundStore> => ({
  place,
  mark: await store.marks.read(),
  isEmpty: await isEmptyStore(store),
  registered: await memory.registered(),
  hasDecisions: await memory.hasDecisions(),
});

const isEmptyStore = async ({ schema }: Pick<OpenStore, 'schema'>): Promise<boolean> =>
  (await schema.read()) === undefined && !(await schema.hasData());
