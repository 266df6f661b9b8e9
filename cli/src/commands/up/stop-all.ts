import { inTime } from '@tenure/process';
import { type SupervisedPart } from './supervisor.js';

const GATEWAY_STOP_MS = 4000;

/**
 * Stops every part, the gateway first: it drains while the parts that it calls still run. The others stop when it
 * has ended, or after four seconds.
 * @param parts in the order in which they were started; the last one is the gateway
 */
export async function stopAll(parts: readonly Pick<SupervisedPart, 'stop'>[]): Promise<void> {
  const [gateway, ...others] = [...parts].reverse();
  const drained = gateway?.stop();
  await inTime(GATEWAY_STOP_MS, Promise.resolve(drained), () => undefined);
  await Promise.all([drained, ...others.map((part) => part.stop())]);
}
