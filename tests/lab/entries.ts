import { type Entry } from './history.js';

/** Entries of a kind. */
export type Of<K extends Entry['kind']> = Extract<Entry, { readonly kind: K }>;

/** The entries of a kind, in their order. */
export const entriesOf = <K extends Entry['kind']>(
  entries: readonly Entry[],
  kind: K,
): readonly Of<K>[] => entries.filter((entry): entry is Of<K> => entry.kind === kind);

/** When something happened, as `12.4 s`. */
export const at = ({ atMs }: Entry): string => `${(atMs / 1000).toFixed(1)} s`;
