import { type IncomingMessage } from 'node:http';
import { AppError, hasDuplicateMembers } from '@tenure/contracts';
import { parseJsonText, readBody } from '@tenure/http';
import { inTime } from '@tenure/process';
import { type StrictHeaders } from './headers.js';
import { closing, refusal } from './refusal.js';

/** Milliseconds in which the whole body must arrive; less than 10 s together with the deadline for headers. */
export const BODY_DEADLINE_MS = 5000;

const NOTHING = Buffer.alloc(0);
const JSON_TYPE = /^application\/json(?:[ \t]*;[ \t]*charset="?utf-8"?)?[ \t]*$/iu;

/** Limits of a body on its route. */
export interface BodyLimits {
  /** Bytes. */
  readonly limit: number;
  /** Milliseconds in which the whole body must arrive. */
  readonly deadlineMs: number;
}

/**
 * Checks what the headers say about the body, before a byte of it is read.
 * @param limit maximum bytes on the route; 0 when it accepts no body
 * @throws AppError 400, 413 or 415
 */
export function checkAnnouncedBody(headers: StrictHeaders, limit: number): void {
  if (!headers.hasBody) return;
  if (limit === 0) throw refusal(400, 'This route takes no body.');
  if ((headers.contentLength ?? 0) > limit)
    throw refusal(413, `The request body is larger than ${limit} bytes.`);
  if (headers.contentType === undefined || !JSON_TYPE.test(headers.contentType))
    throw refusal(415, 'The content type must be application/json.');
}

/**
 * Reads a body of at most `limit` bytes, to be forwarded unchanged; empty when there is none.
 * @throws AppError 400, 408 or 413
 */
export async function readBytes(
  request: IncomingMessage,
  headers: StrictHeaders,
  { limit, deadlineMs }: BodyLimits,
): Promise<Buffer> {
  if (!headers.hasBody) return NOTHING;
  try {
    return await inTime(deadlineMs, readBody(request, limit), () => {
      throw new AppError('refused', 408, 'The request body did not arrive in time.');
    });
  } catch (error) {
    if (error instanceof AppError) throw closing(error);
    throw refusal(400, 'The request body did not arrive whole.');
  }
}

/**
 * Parses a body as JSON with at most 64 levels and without duplicate members.
 * @returns undefined for an empty body
 * @throws AppError 400
 */
export function jsonIn(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  try {
    const { json, text } = parseJsonText(bytes);
    if (hasDuplicateMembers(text)) throw refusal(400, 'The JSON body has a member twice.');
    return json;
  } catch (error) {
    throw error instanceof AppError ? closing(error) : error;
  }
}
