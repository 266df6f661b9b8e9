import { matches } from '@tenure/contracts';
import { RevocationEntry } from './revocation-entry.js';
import { type Seal } from './seal.js';

/** The store of operators' revocations, which every replica of the gateway reads. */
export interface RevocationStore {
  /** @throws Error when it may not have been written */
  readonly add: (entry: RevocationEntry) => Promise<void>;
  /**
   * All entries that have not expired. Entries that are not sealed with one of our keys are skipped.
   * @throws Error when they cannot be read
   */
  readonly list: () => Promise<readonly RevocationEntry[]>;
}

const PURPOSE = 'revocation';

/** An entry as it lies in the store. */
export const sealEntry = (seal: Seal, entry: RevocationEntry): string =>
  seal.seal(PURPOSE, '', entry);

/** The entries among texts of the store. */
export const openEntries = (seal: Seal, texts: readonly string[]): readonly RevocationEntry[] =>
  opened(seal, texts).filter((entry) => !isPast(entry));

/** The expired entries among them. */
export const pastEntries = (seal: Seal, texts: readonly string[]): readonly RevocationEntry[] =>
  opened(seal, texts).filter(isPast);

const opened = (seal: Seal, texts: readonly string[]): readonly RevocationEntry[] =>
  texts
    .map((text) => seal.open(PURPOSE, '', text))
    .filter((entry): entry is RevocationEntry => matches(RevocationEntry, entry));

const isPast = ({ until }: RevocationEntry): boolean => until <= Date.now() / 1000;
