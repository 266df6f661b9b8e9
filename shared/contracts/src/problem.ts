import { STATUS_CODES } from 'node:http';
import { type AppError, type Problem } from './errors.js';

/** RFC 9457 body of an error, for internal routes. */
export const toProblem = (error: AppError): Problem => ({
  type: 'about:blank',
  title: STATUS_CODES[error.status] ?? 'Error',
  status: error.status,
  detail: error.message,
  code: error.code,
});

/** Ironic's error body, whose value is itself a JSON string, as its clients parse it. */
export const toIronicBody = (error: AppError): { readonly error_message: string } => ({
  error_message: JSON.stringify({
    faultcode: error.status >= 500 ? 'Server' : 'Client',
    faultstring: error.message,
    debuginfo: null,
  }),
});
