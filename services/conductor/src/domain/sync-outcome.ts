/**
 * The outcome of a visit of the power sync. `changed`: the record follows the hardware; `forced`: the hardware was set
 * back; `maintenance`: put into maintenance; `recovered`: taken out of it; `busy`: left to the next round.
 */
export type SyncOutcome =
  | 'same'
  | 'changed'
  | 'forced'
  | 'skipped'
  | 'unreachable'
  | 'maintenance'
  | 'recovered'
  | 'busy';
