/** Work that is done once, a moment after the first of any number of calls. */
export interface Debounced {
  readonly schedule: () => void;
  readonly stop: () => void;
}

/** Milliseconds in which messages count as one, so that replayed ones cause no more work. */
const AFTER_MS = 100;

export function debounced(work: () => void): Debounced {
  let timer: NodeJS.Timeout | undefined;
  return {
    schedule: () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        work();
      }, AFTER_MS).unref();
    },
    stop: () => {
      clearTimeout(timer);
    },
  };
}
