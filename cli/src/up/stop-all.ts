import { setTimeout as sleep } from 'node:timers/promises';
import { type SupervisedPart } from './supervisor.js';

const GATEWAY_STOP_MS = 4000;

/**
 * Stops every part, the gateway first: while it drains, what it needs is still there. The others are told when it has
 * ended, or after four seconds.
 * @param parts in the order in which they were started; the last one is the gateway
 */
export const stopAll = async (parts: readonly Pick<SupervisedPart, 'stop'>[]): Promise<void> => {
  const [gateway, ...others] = [...parts].reverse();
  const drained = gateway?.stop();
  const patience = new AbortController();
  const { signal } = patience;
  await Promise.race([
    drained,
    sleep(GATEWAY_STOP_MS, undefined, { signal }).catch(() => undefined),
  ]);
  // A timer that is left would keep this process for the rest of its time.
  patience.abort();
  await Promise.all([drained, ...others.map((part) => part.stop())]);
};
