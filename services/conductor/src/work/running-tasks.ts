/** Work that goes on after its request was answered. */
export interface RunningTasks {
  readonly count: () => number;
  /** Keeps track of a task, which deals with its own failures. */
  readonly add: (task: Promise<void>) => void;
  /** Resolves when nothing is running any more. */
  readonly idle: () => Promise<void>;
}

export const createRunningTasks = (): RunningTasks => {
  const running = new Set<Promise<void>>();
  return {
    count: () => running.size,
    add: (task) => {
      running.add(task);
      void task.finally(() => running.delete(task));
    },
    idle: async () => {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
};
