import { describe, expect, it } from '@jest/globals';
import { AccessDeniedError, AppError, NotFoundError, toAppError } from './errors.js';
import { toIronicBody, toProblem } from './problem.js';

describe('errors', () => {
  it('names the denied action in the body that Ironic clients parse', () => {
    expect(toIronicBody(new AccessDeniedError('baremetal:node:update:owner'))).toEqual({
      error_message:
        '{"faultcode":"Client","faultstring":"Access was denied to the following resource: baremetal:node:update:owner","debuginfo":null}',
    });
  });

  it('hides the text of an error that is not ours behind a 500', () => {
    const error = toAppError(new TypeError('password=hunter2'));
    expect([error.status, error.message]).toEqual([500, 'An unexpected error happened.']);
    expect(toIronicBody(error).error_message).toBe(
      '{"faultcode":"Server","faultstring":"An unexpected error happened.","debuginfo":null}',
    );
  });

  it('keeps the status of an error that a body parser exposes', () => {
    const error = Object.assign(new Error('request entity too large'), {
      expose: true,
      status: 413,
    });
    expect(toAppError(error).status).toBe(413);
  });

  it('does not believe an exposed status outside 4xx', () => {
    expect(toAppError(Object.assign(new Error('fine'), { expose: true, status: 200 })).status).toBe(
      500,
    );
    expect(toAppError('a thrown string').status).toBe(500);
  });

  it('renders a problem with its stable code for internal routes', () => {
    expect(toProblem(NotFoundError.of('Node', 'n1'))).toEqual({
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      detail: 'Node n1 could not be found.',
      code: 'not_found',
    });
  });

  it('passes our own errors through unchanged', () => {
    const error = new AppError('odd', 418, 'odd');
    expect(toAppError(error)).toBe(error);
  });
});
