/**
 * Milliseconds for which our clients keep an idle connection. Shorter than `SHUTDOWN_DELAY_MS`: a part that stops closes idle
 * connections only when no other part would still send requests over them.
 */
export const KEPT_IDLE_MS = 2000;

/** Milliseconds for which a part that stops goes on serving; by default. */
export const SHUTDOWN_DELAY_MS = 4000;
