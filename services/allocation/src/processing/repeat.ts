export interface Repeat {
  readonly stop: () => void;
}

/** Runs `task` now and then again `everyMs` (± 20 %, so that replicas do not march in step) after each end. */
export const repeatEvery = (
  everyMs: number,
  random: () => number,
  task: () => Promise<void>,
): Repeat => {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const next = async (): Promise<void> => {
    await task();
    if (!stopped)
      timer = setTimeout(
        () => {
          void next();
        },
        everyMs * (0.8 + random() * 0.4),
      );
  };
  void next();
  return {
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
};
