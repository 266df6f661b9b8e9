import { type Query } from '../../routes/query.js';
import { refusal } from './refusal.js';

const NO_QUERY: Query = new Map();
// eslint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f]/u;

/**
 * The query of a request. Every key must be one of the route, and occur once: an unknown or operator-shaped key
 * (`owner[$ne]`, `$where`) never reaches a service.
 * @throws AppError 400
 */
export function parseQuery(
  query: string | undefined,
  allowed: Pick<ReadonlyMap<string, unknown>, 'has'>,
): Query {
  if (query === undefined || query === '') return NO_QUERY;
  const values = new Map<string, string>();
  for (const pair of query.split('&')) {
    const equals = pair.indexOf('=');
    const key = decode(equals === -1 ? pair : pair.slice(0, equals));
    const value = equals === -1 ? '' : decode(pair.slice(equals + 1));
    if (!allowed.has(key))
      throw refusal(400, `Unknown query parameter: ${JSON.stringify(key.slice(0, 64))}.`);
    if (values.has(key)) throw refusal(400, `The query parameter ${key} was given more than once.`);
    if (CONTROL.test(value))
      throw refusal(400, `The query parameter ${key} has a control character.`);
    values.set(key, value);
  }
  return values;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw refusal(400, 'The query is not valid UTF-8.');
  }
}
