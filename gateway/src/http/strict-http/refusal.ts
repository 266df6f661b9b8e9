import { AppError } from '@tenure/contracts';

/**
 * A request that is refused before anything is decided about it. The answer closes the connection:
 * after a request that two parsers might read differently, nothing that follows on it can be trusted.
 */
export const refusal = (status: number, message: string): AppError =>
  new AppError('refused', status, message, { headers: { Connection: 'close' } });

/** The same error, and the connection closes after it. */
export const closing = (error: AppError): AppError =>
  new AppError(error.code, error.status, error.message, {
    cause: error.cause,
    headers: { ...error.headers, Connection: 'close' },
  });
