import { AppError, BadRequestError } from '@tenure/contracts';
import { parseJson } from '@tenure/http';
import { isJsonObject, memberOf } from '@tenure/policy';

// `curl -d`, as OPA's documentation has it, says form and sends JSON; a real form is no JSON and is refused as such.
const JSON_TYPE = /^application\/(?:json|x-www-form-urlencoded)(?:\s*;|$)/i;

/**
 * Lets through JSON bodies, and those that plain OPA clients send: with no type, or with curl's.
 * @throws AppError 415
 */
export function requireJson(
  contentType: string | undefined,
  contentEncoding: string | undefined,
): void {
  if (contentType !== undefined && !JSON_TYPE.test(contentType))
    throw new AppError('unsupported_media_type', 415, 'The content type must be application/json.');
  if (contentEncoding !== undefined && contentEncoding.toLowerCase() !== 'identity')
    throw new AppError('unsupported_media_type', 415, 'Encoded bodies are not taken.');
}

/**
 * The `input` of an OPA Data API request; undefined when there is none, also when there is no body.
 * @throws BadRequestError for what is not JSON, too deep, or not an object
 */
export function inputOf(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  const parsed = parseJson(body);
  if (!isJsonObject(parsed))
    throw new BadRequestError('The request body must be a JSON object with the member input.');
  return memberOf(parsed, 'input');
}
