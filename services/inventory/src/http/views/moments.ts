/** A stored moment as Ironic shows it: seconds, with an explicit offset. */
export const shownMoment = (value: unknown): unknown => {
  if (typeof value !== 'string') return null;
  const moment = new Date(value);
  return Number.isNaN(moment.getTime()) ? value : `${moment.toISOString().slice(0, 19)}+00:00`;
};
