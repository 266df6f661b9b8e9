import { isJsonObject } from './json-object.js';

// JSON.stringify writes a lone surrogate as an escape, which OPA's JSON reader in WASM cannot read.
const POSSIBLE_LONE_SURROGATE = /\\ud[89a-f]/;

/**
 * A question as JSON text that the policy can read: lone surrogates are replaced by U+FFFD.
 * @param input any JSON value; `false`, `0`, `""` and `null` stay what they are
 */
export function questionText(input: unknown): string {
  const text = JSON.stringify(input);
  return POSSIBLE_LONE_SURROGATE.test(text) ? JSON.stringify(wellFormed(input)) : text;
}

function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name.toWellFormed(), wellFormed(member)]),
  );
}
