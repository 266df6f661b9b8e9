import { type IncomingMessage } from 'node:http';
import { AppError, BadRequestError } from '@tenure/contracts';

const MAX_JSON_DEPTH = 64;

const tooLarge = (limit: number): AppError =>
  new AppError('too_large', 413, `The request body is larger than ${String(limit)} bytes.`, {
    headers: { Connection: 'close' },
  });

/**
 * Reads a whole body.
 * @param limit bytes
 * @throws AppError 413 as soon as more than `limit` bytes are announced or have come
 */
export const readBody = async (request: IncomingMessage, limit: number): Promise<Buffer> => {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
};

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const isOpening = (byte: number): boolean => byte === 0x7b || byte === 0x5b;
const isClosing = (byte: number): boolean => byte === 0x7d || byte === 0x5d;

/** Nesting of a JSON text, counted before it is parsed; brackets in strings do not count. */
export const jsonDepth = (text: Buffer): number => {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const byte = text[index] ?? 0;
    if (inString) {
      if (byte === BACKSLASH) index += 1;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (isOpening(byte)) deepest = Math.max(deepest, (depth += 1));
    else if (isClosing(byte)) depth -= 1;
  }
  return deepest;
};

const decoder = new TextDecoder('utf-8', { fatal: true });

// Only an escape can hide the name, and looking member by member costs more than the parsing.
const mayHideProto = (body: Buffer): boolean => body.includes('__proto__') || body.includes('\\u');

const refuseProto = (key: string, value: unknown): unknown => {
  if (key === '__proto__') throw new SyntaxError('member not allowed');
  return value;
};

/**
 * Parses a JSON body: strict UTF-8, at most 64 levels deep, no `__proto__` member.
 * @throws BadRequestError
 */
export const parseJson = (body: Buffer): unknown => {
  if (jsonDepth(body) > MAX_JSON_DEPTH)
    throw new BadRequestError(
      `The JSON body is nested deeper than ${String(MAX_JSON_DEPTH)} levels.`,
    );
  try {
    const text = decoder.decode(body);
    return mayHideProto(body) ? JSON.parse(text, refuseProto) : JSON.parse(text);
  } catch (error) {
    throw new BadRequestError('The request body is not valid JSON.', { cause: error });
  }
};
