import { type Deadline, isOver, remainingMs } from './deadline.js';

export interface LimiterOptions {
  /** Tasks that may run at the same time. */
  readonly atOnce: number;
  /** Tasks that may wait; any number when absent. */
  readonly waiting?: number;
  /** The error for a task that is not run: too many wait, or its deadline came first. */
  readonly refusal?: () => Error;
}

/** Runs a limited number of tasks at a time, in the order in which they come. */
export interface Limiter {
  /**
   * Waits for a place.
   * @param deadline ends the wait, and only that
   * @returns what gives the place back; call it once
   * @throws the refusal
   */
  readonly acquire: (deadline?: Deadline) => Promise<() => void>;
  /**
   * Runs a task on a place. A failure reaches its own caller only.
   * @throws the refusal, and then the task was not begun
   */
  readonly run: <T>(task: () => T | Promise<T>, deadline?: Deadline) => Promise<T>;
  /** Resolves when nothing runs and nothing waits. */
  readonly idle: () => Promise<void>;
}

const overloaded = (): Error => new Error('too many tasks wait, or one waited too long');

class PlaceLimiter implements Limiter {
  readonly #options: LimiterOptions;
  /** In the order in which they came. */
  readonly #waiting = new Set<() => void>();
  #idle: (() => void)[] = [];
  #running = 0;

  constructor(options: LimiterOptions) {
    this.#options = options;
  }

  readonly acquire: Limiter['acquire'] = async (deadline) => {
    if (!this.#takeFree()) await this.#wait(deadline);
    return this.#leave;
  };

  readonly run: Limiter['run'] = async (task, deadline) => {
    if (!this.#takeFree()) await this.#wait(deadline);
    try {
      return await task();
    } finally {
      this.#leave();
    }
  };

  readonly idle: Limiter['idle'] = () =>
    this.#running === 0 ? Promise.resolve() : new Promise((resolve) => this.#idle.push(resolve));

  /** Takes a place if there is one, at once: a task that need not wait begins synchronously. */
  #takeFree(): boolean {
    if (this.#running >= this.#options.atOnce) return false;
    this.#running += 1;
    return true;
  }

  /** The place goes straight to the task that waits longest, so that none that comes at this moment is quicker. */
  readonly #leave = (): void => {
    const [next] = this.#waiting;
    if (next !== undefined) {
      next();
      return;
    }
    this.#running -= 1;
    if (this.#running > 0) return;
    const idle = this.#idle;
    this.#idle = [];
    for (const resolve of idle) resolve();
  };

  async #wait(deadline: Deadline | undefined): Promise<void> {
    const { waiting = Infinity, refusal = overloaded } = this.#options;
    const isLate = deadline !== undefined && isOver(deadline);
    if (isLate || this.#waiting.size >= waiting) throw refusal();
    await new Promise<void>((resolve, reject) => {
      const end = (finish: () => void) => (): void => {
        clearTimeout(timer);
        deadline?.signal.removeEventListener('abort', refuse);
        this.#waiting.delete(proceed);
        finish();
      };
      const proceed = end(resolve);
      const refuse = end(() => {
        reject(refusal());
      });
      const timer = deadline && setTimeout(refuse, remainingMs(deadline)).unref();
      deadline?.signal.addEventListener('abort', refuse);
      this.#waiting.add(proceed);
    });
  }
}

/** As `Limiter.run`, with a separate limit for each key. */
export type RunByKey = <T>(
  key: string,
  task: () => T | Promise<T>,
  deadline?: Deadline,
) => Promise<T>;

export const createLimiter = (options: LimiterOptions): Limiter => new PlaceLimiter(options);

/** Runs one task at a time. */
export const createMutex = (): Limiter => createLimiter({ atOnce: 1 });

/** The limiter of a key lasts as long as a task of that key runs or waits. */
export function createLimiterByKey(options: LimiterOptions): RunByKey {
  const limiters = new Map<string, { readonly limiter: Limiter; users: number }>();
  return async (key, task, deadline) => {
    const entry = limiters.get(key) ?? { limiter: createLimiter(options), users: 0 };
    limiters.set(key, entry);
    entry.users += 1;
    try {
      return await entry.limiter.run(task, deadline);
    } finally {
      entry.users -= 1;
      if (entry.users === 0) limiters.delete(key);
    }
  };
}
