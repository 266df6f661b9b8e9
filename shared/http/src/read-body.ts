import { type IncomingMessage } from 'node:http';
import { AppError, BadRequestError, jsonDepth } from '@tenure/contracts';

const MAX_JSON_DEPTH = 64;

const decoder = new TextDecoder('utf-8', { fatal: true });

/** A JSON body and its text. */
interface ParsedBody {
  readonly json: unknown;
  readonly text: string;
}

/**
 * Reads a whole body.
 * @param limit bytes
 * @throws AppError 413 as soon as more than `limit` bytes are announced or have come
 */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}

/**
 * Parses a JSON body: strict UTF-8, at most 64 levels deep, no `__proto__` member.
 * @throws BadRequestError
 */
export function parseJsonText(body: Buffer): ParsedBody {
  const text = decoded(body);
  const json = parsed(text);
  if (mayHoldProto(body) && holdsProto(json)) throw invalid();
  return { json, text };
}

/**
 * As `parseJsonText`, without the text.
 * @throws BadRequestError
 */
export const parseJson = (body: Buffer): unknown => parseJsonText(body).json;

const tooLarge = (limit: number): AppError =>
  new AppError('too_large', 413, `The request body is larger than ${String(limit)} bytes.`, {
    headers: { Connection: 'close' },
  });

function decoded(body: Buffer): string {
  try {
    return decoder.decode(body);
  } catch (error) {
    throw invalid(error);
  }
}

function parsed(text: string): unknown {
  if (jsonDepth(text) > MAX_JSON_DEPTH)
    throw new BadRequestError(
      `The JSON body is nested deeper than ${String(MAX_JSON_DEPTH)} levels.`,
    );
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid(error);
  }
}

// Without this text and without an escape, the body cannot contain the name.
const mayHoldProto = (body: Buffer): boolean => body.includes('__proto__') || body.includes('\\u');

/** Whether an object at any depth has a member `__proto__`, which `JSON.parse` creates as an ordinary member. */
function holdsProto(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(holdsProto);
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(holdsProto);
}

const invalid = (cause?: unknown): BadRequestError =>
  new BadRequestError('The request body is not valid JSON.', { cause });
