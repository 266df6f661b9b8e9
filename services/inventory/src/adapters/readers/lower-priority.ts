import { readlinkSync } from 'node:fs';
import os from 'node:os';

/** As `nice` counts. */
const NICENESS = 10;

/**
 * Lets this thread have a processor when no other wants it: a list may take longer, and nothing waits for it. Linux tells a
 * thread its number, and gives it a priority of its own; elsewhere the thread keeps that of the process.
 */
export const lowerPriority = (): void => {
  if (process.platform !== 'linux') return;
  try {
    const [, thread = ''] = /\/task\/(\d+)$/u.exec(readlinkSync('/proc/thread-self')) ?? [];
    if (thread !== '') os.setPriority(Number(thread), NICENESS);
  } catch {
    // A container may forbid it; then lists are read as before.
  }
};
