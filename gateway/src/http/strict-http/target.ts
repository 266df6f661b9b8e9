import { refusal } from './refusal.js';

/** A request target that every HTTP parser reads in the same way. */
export interface Target {
  /** As sent; it is also what is forwarded, byte for byte. */
  readonly path: string;
  /** Percent-decoded path segments; a trailing slash adds no segment. */
  readonly segments: readonly string[];
  /** Without the question mark; undefined when there is none. */
  readonly query: string | undefined;
}

const MAX_TARGET_LENGTH = 8192;
const VISIBLE_ASCII = /^[\x21-\x7e]+$/u;
const PLAIN_SEGMENT = /^[\w~-][\w.~-]*$/u;
const BAD_PERCENT = /%(?![0-9a-f]{2})/iu;
// slash, backslash, semicolon, question mark, hash, dot, percent itself, and control characters
const AMBIGUOUS_ENCODING = /%(?:2f|5c|3b|3f|23|2e|25|[01][0-9a-f]|7f)/iu;

/**
 * Parses a request target, and refuses every one that two servers might read differently.
 * @throws AppError 400 or 414
 */
export function parseTarget(target: string): Target {
  if (target.length > MAX_TARGET_LENGTH) throw refusal(414, 'The request target is too long.');
  if (!target.startsWith('/')) throw refusal(400, 'The request target must be a path.');
  if (!VISIBLE_ASCII.test(target) || target.includes('#') || target.includes('\\'))
    throw refusal(400, 'The request target has a character that is not taken.');
  if (BAD_PERCENT.test(target)) throw refusal(400, 'The request target has a malformed escape.');
  const mark = target.indexOf('?');
  const path = mark === -1 ? target : target.slice(0, mark);
  return {
    path,
    segments: segmentsOfPath(path),
    query: mark === -1 ? undefined : target.slice(mark + 1),
  };
}

function segmentsOfPath(path: string): readonly string[] {
  if (path.includes('//')) throw refusal(400, 'The path has an empty segment.');
  if (AMBIGUOUS_ENCODING.test(path))
    throw refusal(400, 'The path has an encoding that is not taken.');
  const trimmed = path.endsWith('/') ? path.slice(1, -1) : path.slice(1);
  return trimmed === '' ? [] : trimmed.split('/').map(decodeSegment);
}

function decodeSegment(segment: string): string {
  if (PLAIN_SEGMENT.test(segment)) return segment;
  if (segment === '.' || segment === '..') throw refusal(400, 'The path has a dot segment.');
  try {
    return decodeURIComponent(segment);
  } catch {
    throw refusal(400, 'The path is not valid UTF-8.');
  }
}
