/** Distinguishes one store from another, and an older state of a store from a newer one. */
export interface StoreMark {
  /** Random UUID, which a backup has in common with the store that it was made of. */
  readonly identity: string;
  /** Only grows, except when a backup takes the place of the store. */
  readonly marker: number;
}

/** The place of the embedded store, as the data directory remembers it. */
export const EMBEDDED = 'embedded';

/** The last mark of each store that was used with a data directory, by its place. */
export type RegisteredStores = Readonly<Record<string, StoreMark>>;

/** The store and the data directory at a start. */
export interface FoundStore {
  readonly place: string;
  /** Undefined: none yet. */
  readonly mark: StoreMark | undefined;
  /** No version, no record: as if it had just been made. */
  readonly isEmpty: boolean;
  readonly registered: RegisteredStores;
  /** Whether decisions were recorded in the data directory: requests were answered from a store before. */
  readonly hasDecisions: boolean;
}

/** Why a store may not be used. */
export type StoreDoubt = 'lost' | 'elsewhere' | 'other' | 'older';

/** The place of a MongoDB database. */
export const mongodbPlace = (database: string): string => `mongodb/${database}`;

/**
 * Whether a store is the one that its data directory remembers, and not an earlier state of it.
 * @returns undefined when it may be used
 */
export function doubtOn(found: FoundStore): StoreDoubt | undefined {
  const { place, mark, isEmpty, registered } = found;
  if (isEmpty) return doubtOnEmpty(found);
  const remembered = registered[place];
  if (remembered === undefined) return undefined;
  // A backup made by a release that wrote no mark.
  if (mark === undefined) return 'older';
  if (mark.identity !== remembered.identity) return 'other';
  return mark.marker < remembered.marker ? 'older' : undefined;
}

function doubtOnEmpty({ place, registered, hasDecisions }: FoundStore): StoreDoubt | undefined {
  if (registered[place] !== undefined) return 'lost';
  // An operator sets MONGODB_URI on purpose. The embedded store is used by accident when that variable is lost.
  if (place !== EMBEDDED) return undefined;
  if (Object.keys(registered).length > 0) return 'elsewhere';
  return hasDecisions ? 'lost' : undefined;
}
