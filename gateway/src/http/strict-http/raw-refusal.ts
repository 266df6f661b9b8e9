import { STATUS_CODES } from 'node:http';
import { type Socket } from 'node:net';
import { AppError } from '@tenure/contracts';
import { BAREMETAL } from '../../dialects/baremetal.js';
import { answerHeaders, newRequestId } from '../answer-headers.js';
import { CLOSE_GRACE_MS } from '../close-grace.js';

/** Answers a request that the HTTP parser refused, in the same form as every other refusal, and closes the connection. */
export function refuseRaw(error: Error, socket: Socket): void {
  if (!socket.writable || codeOf(error) === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  socket.end(render(refusalFor(error)));
  setTimeout(() => {
    socket.destroy();
  }, CLOSE_GRACE_MS).unref();
}

const codeOf = (error: Error): string =>
  'code' in error && typeof error.code === 'string' ? error.code : '';

/** A complete response, as bytes, for a request that could not be parsed. */
function render(error: AppError): string {
  const body = JSON.stringify(BAREMETAL.errorBody(error));
  const headers = {
    ...answerHeaders({ dialect: BAREMETAL, requestId: newRequestId() }),
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    Date: new Date().toUTCString(),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}`, ...lines, '', body].join(
    '\r\n',
  );
}

function refusalFor(error: Error): AppError {
  switch (codeOf(error)) {
    case 'HPE_HEADER_OVERFLOW':
      return new AppError('refused', 431, 'The request headers are too large.');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new AppError('refused', 413, 'The chunk extensions are too large.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new AppError('refused', 408, 'The request did not arrive in time.');
    default:
      return new AppError('refused', 400, 'The request is not well-formed HTTP/1.1.');
  }
}
