/**
 * A request of undici, given up when its signal says so. undici itself heeds the signal only once it has a connection for the
 * request, which is then not sent: a queue before one that hangs would outlast it.
 * @throws the reason of the signal
 */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const give = (): void => {
    reject(signal.reason as Error); // the time-out's own
  };
  signal.addEventListener('abort', give, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', give);
  }
}
