import { AppError, UnauthorizedError } from '@tenure/contracts';
import { type FailureCounter } from '@tenure/shared-state';

/** Limits repeated authentication failures. */
export interface FailureLimit {
  /**
   * Runs an authentication, unless too many of that name failed in the last minute.
   * @throws AppError 429 then; otherwise the error of `attempt`
   */
  readonly guard: <T>(name: string, attempt: () => Promise<T>) => Promise<T>;
}

export interface FailureLimitOptions {
  readonly perMinute: number;
  /** Counter of this process. It always counts, so that the limit holds without the shared one. */
  readonly local: FailureCounter;
  /** Counter of all replicas together; undefined where this is the only one. */
  readonly shared: FailureCounter | undefined;
}

/** The shared count where it is available; otherwise each replica counts for itself. */
export function createFailureLimit({
  perMinute,
  local,
  shared,
}: FailureLimitOptions): FailureLimit {
  const orNothing = async <T>(use: Promise<T> | undefined): Promise<T | undefined> => {
    try {
      return await use;
    } catch {
      return undefined;
    }
  };
  const failed = async (name: string): Promise<void> => {
    await local.add(name);
    await orNothing(shared?.add(name));
  };
  return {
    guard: async (name, attempt) => {
      const here = await local.count(name);
      const everywhere = (await orNothing(shared?.count(name))) ?? 0;
      if (Math.max(here, everywhere) >= perMinute) throw tooMany();
      try {
        return await attempt();
      } catch (error) {
        if (error instanceof UnauthorizedError) await failed(name);
        throw error;
      }
    },
  };
}

const tooMany = (): AppError =>
  new AppError('too_many_requests', 429, 'Too many failed logins; try again in a minute.', {
    headers: { 'Retry-After': '60' },
  });
