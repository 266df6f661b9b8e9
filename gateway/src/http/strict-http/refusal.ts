import { AppError } from '@tenure/contracts';

/**
 * The error for a request that is refused before any decision. The answer closes the connection:
 * after a request that two parsers might read differently, the following bytes cannot be trusted.
 */
export const refusal = (status: number, message: string): AppError =>
  new AppError('refused', status, message, { headers: { Connection: 'close' } });

/** The same error, and the connection closes after it. */
export const closing = (error: AppError): AppError =>
  new AppError(error.code, error.status, error.message, {
    cause: error.cause,
    headers: { ...error.headers, Connection: 'close' },
  });
