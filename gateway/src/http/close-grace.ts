/** Milliseconds that a client has to read the answer to a refused request before its connection is closed. */
export const CLOSE_GRACE_MS = 500;
