import { setTimeout as timer } from 'node:timers/promises';

/**
 * Waits, less when the signal aborts. Never rejects.
 * @param ms milliseconds
 * @param signal read it afterwards: an abort does not throw
 * @param options.ref false: the wait does not keep the process alive
 */
export async function sleep(
  ms: number,
  signal?: AbortSignal,
  { ref = true }: { readonly ref?: boolean } = {},
): Promise<void> {
  await timer(ms, undefined, { ref, ...(signal !== undefined && { signal }) }).catch(
    () => undefined,
  );
}
