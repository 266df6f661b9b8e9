import { isJsonObject } from '@tenure/contracts';
import { PolicyRefused } from './failures.js';

export { canonicalJson, isJsonObject, type JsonObject } from '@tenure/contracts';

/** Own member of a JSON object, or undefined: inherited names such as `constructor` are not members. */
export const memberOf = (value: unknown, name: string): unknown =>
  isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** Whether this is an id: missing or blank values are none. */
export const isId = (value: unknown): value is string => typeof value === 'string' && value !== '';

/**
 * The value of a JSON text.
 * @param what names the text in the refusal
 * @throws PolicyRefused when it is no JSON
 */
export function jsonIn(what: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new PolicyRefused(`${what} is not valid JSON`, { cause: error });
  }
}
