import { timestampOf } from '@tenure/contracts';

/** A stored moment as Ironic shows it: seconds, with an explicit offset. */
export function momentView(value: unknown): unknown {
  if (typeof value !== 'string') return null;
  const moment = new Date(value);
  return Number.isNaN(moment.getTime()) ? value : timestampOf(moment);
}
