import { matches } from '@tenure/contracts';
import { RevocationEntry } from './revocation-entry.js';
import { type Seal } from './seal.js';

/** Where operators' revocations lie, for every replica of the gateway to read. */
export interface RevocationStore {
  /** @throws Error when it was not, or not surely, written */
  readonly add: (entry: RevocationEntry) => Promise<void>;
  /**
   * All entries that are not past their time; what was not sealed with our key is left out.
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

/** The entries among them that are past their time. */
export const pastEntries = (seal: Seal, texts: readonly string[]): readonly RevocationEntry[] =>
  opened(seal, texts).filter(isPast);

const opened = (seal: Seal, texts: readonly string[]): readonly RevocationEntry[] =>
  texts
    .map((text) => seal.open(PURPOSE, '', text))
    .filter((entry): entry is RevocationEntry => matches(RevocationEntry, entry));

const isPast = ({ until }: RevocationEntry): boolean => until <= Date.now() / 1000;
