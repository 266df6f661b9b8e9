import { createLimiterByKey, type RunByKey } from '@tenure/process';
import { BmcCallFailure } from './bmc-error.js';

/**
 * Requests that one BMC is sent at the same time. A slow read must not keep a command waiting, and the chassis manager of
 * many blades must not work strictly one after the other; but many BMCs answer no more connections than a handful, and some reset
 * themselves when they get more.
 */
export const CONCURRENT_PER_BMC = 4;

/** Requests that may wait for one BMC. More than these belong to a BMC that hangs: they fail at once, and free their workers. */
const WAITING_PER_BMC = 64;

/**
 * How many requests one BMC gets at the same time. The key is its address, whichever nodes and accounts ask there: the blades of
 * a chassis share the BMC of the chassis.
 */
export interface BmcConcurrency {
  /** @throws BmcCallFailure (`timeout`, not sent) when the deadline comes first, or too many wait already */
  readonly requests: RunByKey;
  /** One command at a time. @throws BmcCallFailure (`timeout`, not sent) when the deadline comes first */
  readonly commands: RunByKey;
}

export const createBmcConcurrency = (): BmcConcurrency => ({
  requests: createLimiterByKey({
    atOnce: CONCURRENT_PER_BMC,
    waiting: WAITING_PER_BMC,
    refusal: busyWith('requests'),
  }),
  commands: createLimiterByKey({ atOnce: 1, refusal: busyWith('commands') }),
});

const busyWith = (others: string) => (): BmcCallFailure =>
  new BmcCallFailure('timeout', `the BMC was busy with other ${others}`, { maybeSent: false });
