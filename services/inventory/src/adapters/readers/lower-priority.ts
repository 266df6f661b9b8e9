import { readlinkSync } from 'node:fs';
import os from 'node:os';

/** A `nice` value. */
const NICENESS = 19;

/**
 * Gives this thread a processor only when no other thread needs it, because a list may take longer. Linux has a priority for
 * each thread; on other systems the thread keeps the priority of the process.
 */
export function lowerPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    const [, thread = ''] = /\/task\/(\d+)$/u.exec(readlinkSync('/proc/thread-self')) ?? [];
    if (thread !== '') os.setPriority(Number(thread), NICENESS);
  } catch {
    // A container may forbid it; lists are then read at the normal priority.
  }
}
