/** Something that is done a moment after it was asked for, once, however often that was. */
export interface Soon {
  readonly ask: () => void;
  readonly stop: () => void;
}

/** Calls that come together are one look, and whoever repeats an old one brings about no more of them. */
const AFTER_MS = 100;

export const onceSoon = (work: () => void): Soon => {
  let timer: NodeJS.Timeout | undefined;
  return {
    ask: () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        work();
      }, AFTER_MS).unref();
    },
    stop: () => {
      clearTimeout(timer);
    },
  };
};
