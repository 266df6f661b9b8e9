/** Numbers that bind a decision or a lock to a record: none of them may come back (`RecordStore`). */
export const EPOCH_NUMBERS = ['revision', 'tenancy_revision', 'fence'] as const;

/** A record, of which each kind has some of the numbers. */
type WithEpochs = Readonly<Partial<Record<(typeof EPOCH_NUMBERS)[number], number>>>;

/** The largest of the numbers that must not be issued again after the record is removed. */
export const minEpochOf = (record: WithEpochs): number =>
  Math.max(...EPOCH_NUMBERS.map((number) => record[number] ?? 0));
