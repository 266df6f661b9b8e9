/**
 * Runs synchronous work and interrupts it after `milliseconds`. Costs most of a millisecond: for loading, not for answering.
 * @throws PolicyRefused when the time is up
 */
export type TimeLimit = <T>(milliseconds: number, work: () => T) => T;
