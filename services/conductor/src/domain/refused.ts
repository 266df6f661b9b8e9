import { AppError } from '@tenure/contracts';

/** True when the inventory is unavailable for a moment, or its response was lost. */
export const isAway = (error: unknown): boolean => error instanceof AppError && error.status >= 500;

/** True when a call was answered with a refusal: its node is locked, changed hands or was deleted. */
export const isRefused = (error: unknown): boolean =>
  error instanceof AppError && error.status < 500;

/** True for passing failures: the inventory is unavailable, or the node is locked, changed or was deleted meanwhile. */
export const isPassing = (error: unknown): boolean =>
  isAway(error) || (error instanceof AppError && [404, 409, 412].includes(error.status));

/** The result of `find`; undefined when its call was refused. */
export async function unlessRefused<T>(find: () => Promise<T>): Promise<T | undefined> {
  try {
    return await find();
  } catch (error) {
    if (isRefused(error)) return undefined;
    throw error;
  }
}
