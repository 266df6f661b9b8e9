/** A moment as Ironic writes it: seconds, with an explicit offset. */
export const timestampOf = (moment: Date): string => `${moment.toISOString().slice(0, 19)}+00:00`;
